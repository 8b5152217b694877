// Sums of numbers whose significand fits two words: 64-bit floats, products of two 32-bit ones.
//
// The method of one_word.wgsl with a third sum. A number with a significand m of up to 53 bits, whose exponent is the s-th of
// a window of 28, is x = m · 2^s: up to 80 bits.
//
//     low      Σ x           modulo 2^32
//     middle   Σ ⌊x / 2^27⌋  modulo 2^32
//     high     Σ ⌊x / 2^54⌋  exact, signed
//
// For up to 31 numbers, middle and high determine Σ ⌊x / 2^27⌋, because what high cuts off of it is less than 2^32; and that
// with low determines Σ x. The bits of a negative number are flipped in each of its three shares. That is −x − 1, so the
// number of negatives is added once. `settle` leaves three digits of 27 bits and a signed one above them, of which 2^32
// numbers of 80 bits use 31 bits.
#import tag

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

// Both have the same window, or one has none.
fn combine(a: Acc, b: Acc) -> Acc {
    let low = a.low + b.low;
    let middle = a.middle + b.middle + (low >> DIGIT);
    let high = a.high + b.high + (middle >> DIGIT);
    return Acc(low & MASK, middle & MASK, high & MASK, a.top + b.top + (high >> DIGIT), a.tag | b.tag);
}

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

// Shares of four numbers, or of several such fours, in the three sums; and how many are negative.
struct Shares {
    low: vec4<u32>,
    middle: vec4<u32>,
    high: vec4<u32>,
    negatives: vec4<u32>,
}

// Four numbers: the lowest word of their significands, all bits above the 27th of them, their place in the window, and all ones
// where they are negative. A significand of 0 is a number that is not in the window.
fn shares(m: vec4<u32>, upper: vec4<u32>, s: vec4<u32>, sign: vec4<u32>) -> Shares {
    let r = vec4<u32>(DIGIT) - s;
    return Shares(
        (m << s) ^ sign,
        ((upper << s) + ((m & vec4<u32>(MASK)) >> r)) ^ sign,
        (upper >> r) ^ sign,
        sign & vec4<u32>(1u),
    );
}

fn both(a: Shares, b: Shares) -> Shares {
    return Shares(a.low + b.low, a.middle + b.middle, a.high + b.high, a.negatives + b.negatives);
}

fn across(v: vec4<u32>) -> u32 {
    return v.x + v.y + v.z + v.w;
}

// An accumulator with the sums of a batch.
fn settle(acc: Acc, sums: Shares, flags: u32) -> Acc {
    let middle_sum = across(sums.middle);
    let high_sum = across(sums.high);
    let low = acc.low + across(sums.low) + across(sums.negatives) - (middle_sum << DIGIT);
    let middle = acc.middle + (middle_sum - (high_sum << DIGIT)) + (low >> DIGIT);
    let high = acc.high + high_sum + (middle >> DIGIT);
    let carry = bitcast<u32>(bitcast<i32>(high) >> DIGIT);
    return Acc(low & MASK, middle & MASK, high & MASK, acc.top + carry, acc.tag | flags);
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
