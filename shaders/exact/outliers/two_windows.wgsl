// Numbers of one word outside of the window, of long inputs: a second window, for data of two scales, and bins for whole batches.
#import io
#import operator
#import format
#import exact/batch
#import exact/bins
#import exact/bin_batches
#import exact/limbs
#import exact/moving

// The second window, and the sum in it; without one, its tag is zero.
var<private> in_second: Acc;

// A second window takes registers, which the smallest and the largest workgroups do not have: of the small ones there are several to a core
// if an invocation takes few, and in those of 1024 it has no more than 64. They move the first window instead.
fn has_second() -> bool {
    return WG == 256u || WG == 512u;
}

// Those of some numbers that are in the second window, and not in the first.
fn in_other(x: Numbers, window: u32) -> Lanes {
    return inside(x, in_second.tag & WINDOW) & ~inside(x, window);
}

fn left_by(x: Numbers, window: u32) -> Lanes {
    return outside(x, window) & ~inside(x, in_second.tag & WINDOW);
}

// Adds the numbers outside of the window to the second one, if it holds all of them. Returns whether that is so.
fn second_takes(batch: Batch, window: u32) -> bool {
    if !has_second() || in_second.tag == 0u {
        return false;
    }
    let left = left_by(batch.a, window) | left_by(batch.b, window) | left_by(batch.c, window) | left_by(batch.d, window);
    if largest(left) != 0u {
        return false;
    }
    let other = in_second.tag & WINDOW;
    let ab = both(shares(batch.a, other, in_other(batch.a, window)), shares(batch.b, other, in_other(batch.b, window)));
    let cd = both(shares(batch.c, other, in_other(batch.c, window)), shares(batch.d, other, in_other(batch.d, window)));
    in_second = settled(in_second, both(ab, cd), 0u);
    return true;
}

fn choose_window(acc: Acc, batch: Batch) -> Acc {
    if !has_second() {
        return moved(acc, batch);
    }
    let next = without_second(acc);
    in_second.tag = other_window(batch, acc.tag & WINDOW, false);
    return next;
}

// The second window's sum goes to the limbs, if there is one.
fn without_second(acc: Acc) -> Acc {
    if in_second.tag == 0u {
        return acc;
    }
    spill(in_second);
    in_second = identity();
    return Acc(acc.sum, acc.tag | SPILLED);
}

fn finished(acc: Acc, window: u32) -> Acc {
    if has_second() {
        return without_second(acc);
    }
    return returned(acc, window);
}

fn takes_batch(tag: u32) -> bool {
    return tag >= 2u * MISSED;
}

fn add_far(x: Numbers) -> u32 {
    return add_alone(x.x);
}
