// The sum of batches in a window: a test for each batch, and a slow path for those that miss.
//
//     all numbers in the window, or zero      their shares are added, without carries, and settled (the formats of shaders/exact)
//     else                                    one by one: to the digits if a number is near the window, to bins or limbs if it is far
//
// At one of the first misses and then at every sixteenth the window moves to one that holds all numbers of the batch. The first misses use no
// bins: in most data few numbers are outside, and without bins the end is shorter.
#import <operator>
#import exact/formats/*
#import shared/exact/batch
#import shared/exact/four_digits
#import shared/exact/limbs
#import exact/far/*

fn add_batch(acc: Acc, batch: Batch) -> Acc {
    let window = acc.tag & WINDOW;
    let found = fit(batch.a, batch.b, batch.c, batch.d, window);
    if found == MISSES {
        return add_carefully(acc, batch);
    }
    var flags = OTHERS;
    if found == ONLY_ZEROS {
        flags = flags_of(batch);
    }
    return settled(acc, sums_of(batch, window), flags);
}

fn add_carefully(before: Acc, batch: Batch) -> Acc {
    var acc = before;
    let window = acc.tag & WINDOW;
    if ZEROS_FIT || any_outside(batch, window) {
        if (acc.tag & TRIES) == FIRST_MOVE * MISSED {
            acc = moved(acc, window_of(batch));
        }
        acc.tag += MISSED;
        if takes_batch(before.tag) {
            return Acc(acc.sum, acc.tag | OTHERS | add_batch_far(batch));
        }
        if ZEROS_FIT || (acc.tag & WINDOW) == window {
            acc = one_by_one(acc, batch);
        }
    }
    if ZEROS_FIT {
        return Acc(acc.sum, acc.tag | OTHERS);
    }
    return settled(acc, sums_inside(batch, acc.tag & WINDOW), flags_of(batch));
}

// Moves to another window, if there is one: the sum in the old one goes to the limbs.
fn moved(acc: Acc, window: u32) -> Acc {
    if window == 0u || window == (acc.tag & WINDOW) {
        return acc;
    }
    spill(acc);
    return Acc(vec4<u32>(0u), (acc.tag & ~WINDOW) | SPILLED | window);
}

// Adds numbers of a batch one by one: all, or, if zeros miss windows as well, those outside of the window.
fn one_by_one(before: Acc, batch: Batch) -> Acc {
    var acc = before;
    #for p in a b c d: var $p = batch.$p;
    for (var turn = 0u; turn < turns(LANES); turn++) {
        acc = carried(add_one(add_one(add_one(add_one(acc, a), b), c), d));
        #for p in a b c d: $p = rotated($p);
    }
    return acc;
}

// Adds the first of some numbers: to the digits, which have room for four, if it is in the window or near it.
fn add_one(acc: Acc, x: Numbers) -> Acc {
    if !ZEROS_FIT && outside(x, acc.tag & WINDOW).x == 0u {
        return acc;
    }
    let place = exponent(x) + UNDER - (acc.tag & WINDOW);
    if BITS > 48u || exponents(x).x == SPECIAL || place >= UNDER + SPAN + OVER {
        return Acc(acc.sum, acc.tag | add_far(x));
    }
    let m = significand(x);
    let minus = 0u - signs(x).x;
    var digits_of = placed(m.x & 0xffffffu, place, minus, 0u);
    if BITS > 24u {
        digits_of += placed((m.x >> 24u) | (m.y << 8u), place + 24u, minus, 0u);
    }
    return Acc(acc.sum + digits_of, acc.tag);
}
