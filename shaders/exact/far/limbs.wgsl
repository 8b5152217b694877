// Numbers far from the windows go to the limbs: numbers of two words.
#import lib/grid/entry
#import <operator>
#import exact/formats/*
#import shared/exact/batch
#import shared/exact/four_digits
#import shared/exact/limbs

// Adds the first of some numbers to the limbs. Returns flags.
fn add_far(x: Numbers) -> u32 {
    if exponents(x).x == SPECIAL {
        return special(is_nan(x), signs(x).x);
    }
    let m = significand(x);
    add_number(signs(x).x, exponent(x) - LOWEST, m.x, m.y);
    return SPILLED;
}

fn clear_bins(at: Place) {}
fn empty_bins(at: Place) {}

// No batch is added as a whole.
fn takes_batch(tag: u32) -> bool { return false; }
fn add_batch_far(batch: Batch) -> u32 { return 0u; }
