// A batch of numbers of one word, in words of 32 bits.
//
// A number in its place in the window is x, of up to 51 bits. To add such numbers in words takes a carry for each of them.
// Two sums that overlap take none:
//
//     low      Σ x           modulo 2^32: it wraps, and that is fine
//     middle   Σ ⌊x / 2^27⌋  exact, signed
//
// What the floors cut off is δ = Σ x − 2^27 · middle. It is less than 2^27 for each number, so less than 2^32 for up to 31
// numbers, and modulo 2^32 it is low − 2^27 · middle. So sixteen numbers take one shift and one addition for each number and
// sum, and δ is computed once for all of them.

// Shares of four numbers, or of several such fours, in the two sums.
struct Shares {
    low: vec4<u32>,
    middle: vec4<u32>,
}

// Four numbers with their places in the window, in the upper eight bits, and their hidden bits.
fn shares(v: vec4<u32>, u: vec4<u32>, hidden: vec4<u32>) -> Shares {
    let m = (v & vec4<u32>(0x7fffffu)) | hidden;
    // All ones where the number is negative.
    let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(v) >> vec4<u32>(31u));
    let x = (m ^ sign) - sign;
    let s = u >> vec4<u32>(24u);
    return Shares(x << s, bitcast<vec4<u32>>(bitcast<vec4<i32>>(x) >> (vec4<u32>(DIGIT) - s)));
}

fn both(a: Shares, b: Shares) -> Shares {
    return Shares(a.low + b.low, a.middle + b.middle);
}

fn across(v: vec4<u32>) -> u32 {
    return v.x + v.y + v.z + v.w;
}

// An accumulator with the sums of a batch.
fn settle(acc: Acc, sums: Shares, flags: u32) -> Acc {
    let middle_sum = across(sums.middle);
    let low = acc.low + across(sums.low) - (middle_sum << DIGIT);
    let middle = acc.middle + middle_sum + (low >> DIGIT);
    let carry = bitcast<u32>(bitcast<i32>(middle) >> DIGIT);
    return Acc(low & MASK, middle & MASK, acc.high + carry, acc.tag | flags);
}
