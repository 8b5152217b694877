// Sums of numbers whose significand fits two words: 64-bit floats, products of two 32-bit ones.
//
// A number with a significand m of up to 53 bits, whose exponent is the s-th of a window of up to 28, is x = m · 2^s: up to 80
// bits. The sum of an invocation is three digits of 27 bits and a signed one above them, of which 2^32 numbers of 80 bits
// use 31 bits.
#import tag

// A digit in registers has 27 bits.
const DIGIT: u32 = 27u;
const MASK: u32 = 0x07ffffffu;

struct Acc {
    low: u32,
    middle: u32,
    high: u32,
    top: u32,
    tag: u32,
}

fn identity() -> Acc {
    return Acc(0u, 0u, 0u, 0u, 0u);
}

// What a signed number leaves above a digit.
fn above(number: u32) -> u32 {
    return bitcast<u32>(bitcast<i32>(number) >> DIGIT);
}

// The sum of two accumulators that have the same window, or of which one has none. Its digits have no carries yet: there is
// room for sixteen such sums.
fn add(a: Acc, b: Acc) -> Acc {
    return Acc(a.low + b.low, a.middle + b.middle, a.high + b.high, a.top + b.top, a.tag | b.tag);
}

fn carried(acc: Acc) -> Acc {
    let middle = acc.middle + (acc.low >> DIGIT);
    let high = acc.high + (middle >> DIGIT);
    return Acc(acc.low & MASK, middle & MASK, high & MASK, acc.top + (high >> DIGIT), acc.tag);
}

// Numbers of two words have one window.
fn leave_second() {}

// Numbers outside of windows go to the limbs one by one.
fn clear_bins(at: Place) {}

fn empty_bins(at: Place) {}

// As a number of 128 bits in two's complement.
fn whole(acc: Acc) -> vec4<u32> {
    return vec4<u32>(
        acc.low | (acc.middle << 27u),
        (acc.middle >> 5u) | (acc.high << 22u),
        (acc.high >> 10u) | (acc.top << 17u),
        bitcast<u32>(bitcast<i32>(acc.top) >> 15u),
    );
}

fn is_any(v: vec4<u32>) -> bool {
    return (v.x | v.y | v.z | v.w) != 0u;
}

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
    return Acc(0u, 0u, 0u, 0u, (acc.tag & ~WINDOW) | SPILLED | window);
}
