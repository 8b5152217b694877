// A batch of 64-bit floats, in words of 32 bits. A number in its place in the window is x, of up to 80 bits. To add such
// numbers in words takes carries for each of them. Three sums that overlap take none:
//
//     low      Σ x           modulo 2^32
//     middle   Σ ⌊x / 2^27⌋  modulo 2^32
//     high     Σ ⌊x / 2^54⌋  exact, signed
//
// For up to 31 numbers, middle and high determine Σ ⌊x / 2^27⌋, because what high cuts off of it is less than 2^32; and that
// with low determines Σ x. The bits of a negative number are flipped in each of its three shares. That is −x − 1, so the
// number of negatives is added once.

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

// An accumulator with the sums of a batch.
fn settle(acc: Acc, sums: Shares, flags: u32) -> Acc {
    let middle_sum = across(sums.middle);
    let high_sum = across(sums.high);
    let x = acc.sum.x + across(sums.low) + across(sums.negatives) - (middle_sum << DIGIT);
    let y = acc.sum.y + (middle_sum - (high_sum << DIGIT)) + (x >> DIGIT);
    let z = acc.sum.z + high_sum + (y >> DIGIT);
    return Acc(vec4<u32>(x & MASK, y & MASK, z & MASK, acc.sum.w + above(z)), acc.tag | flags);
}
