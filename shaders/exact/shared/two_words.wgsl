// Sums of numbers whose significand fits two words: 64-bit floats, products of two 32-bit ones.
//
// 64-bit floats have significands of 53 bits and windows of 28 exponents, products have 48 bits and windows of 22.
#import accumulator

// Numbers of two words have one window.
fn has_second() -> bool {
    return false;
}

fn leave_second() -> u32 {
    return 0u;
}

// Numbers outside of windows go to the limbs one by one.
fn clear_bins(at: Place) {}

fn empty_bins(at: Place) {}

fn largest_of(v: vec4<u32>) -> u32 {
    return max(max(v.x, v.y), max(v.z, v.w));
}

fn smallest_of(v: vec4<u32>) -> u32 {
    return min(min(v.x, v.y), min(v.z, v.w));
}

// Moves the window to one that holds exponents from `bottom` to `top`, if there is one. The sum in the old window goes to the
// limbs.
fn moved(acc: Acc, bottom: u32, top: u32) -> Acc {
    let window = window_below(top);
    if bottom < window || top == 0u {
        return acc;
    }
    spill(acc);
    return Acc(vec4<u32>(0u), (acc.tag & ~WINDOW) | SPILLED | window);
}
