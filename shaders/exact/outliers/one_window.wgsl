// One window, which moves. No batch goes to bins as a whole.
#import <operator>
#import shared/exact/batch
#import shared/exact/limbs

fn second_takes(batch: Batch, window: u32, in_first: ptr<function, Shares>) -> bool { return false; }

// Moves to another window, if there is one: the sum in the old one goes to the limbs.
fn moved(acc: Acc, window: u32) -> Acc {
    if window == 0u || window == (acc.tag & WINDOW) {
        return acc;
    }
    spill(acc);
    return Acc(vec4<u32>(0u), (acc.tag & ~WINDOW) | SPILLED | window);
}

// Moves to a window that holds all numbers of a batch.
fn choose_window(acc: Acc, batch: Batch) -> Acc { return moved(acc, other_window(batch, 0u, 0u)); }

// Moves back to the window that all invocations began with.
fn finished(acc: Acc, window: u32) -> Acc { return moved(acc, window); }
fn takes_batch(tag: u32) -> bool { return false; }
fn add_batch_far(batch: Batch) -> u32 { return 0u; }
