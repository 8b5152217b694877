// Numbers of two words outside of the window: one window, which moves, and the limbs for all that is far from it.
#import entry
#import operator
#import format
#import exact/batch
#import exact/limbs
#import exact/moving

fn second_takes(batch: Batch, window: u32) -> bool {
    return false;
}

fn choose_window(acc: Acc, batch: Batch) -> Acc {
    return moved(acc, batch);
}

fn finished(acc: Acc, window: u32) -> Acc {
    return returned(acc, window);
}

fn takes_batch(tag: u32) -> bool {
    return false;
}

fn add_batch_far(batch: Batch) -> u32 {
    return 0u;
}

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
