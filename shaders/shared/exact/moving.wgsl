// A window that moves: the sum in the old one goes to the limbs.
#import operator
#import exact/batch
#import exact/limbs

// Moves to a window that holds all numbers of a batch, if there is one.
fn moved(acc: Acc, batch: Batch) -> Acc {
    let other = other_window(batch, 0u, 0u);
    if other == 0u {
        return acc;
    }
    return moved_to(acc, other);
}

fn moved_to(acc: Acc, window: u32) -> Acc {
    spill(acc);
    return Acc(vec4<u32>(0u), (acc.tag & ~WINDOW) | SPILLED | window);
}

// Moves back to the window that all invocations began with.
fn returned(acc: Acc, window: u32) -> Acc {
    if (acc.tag & WINDOW) == window {
        return acc;
    }
    return moved_to(acc, window);
}
