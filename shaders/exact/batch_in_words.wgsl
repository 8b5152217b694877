// A batch of sixteen numbers in words of 32 bits, for devices without 64-bit integers.
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
#import operator

struct Sums {
    low: vec4<u32>,
    middle: vec4<u32>,
}

// A batch without numbers yet.
fn begin_batch(acc: Acc) -> Sums {
    return Sums(vec4<u32>(0u), vec4<u32>(0u));
}

// The hidden bit as `add_four` takes it.
fn hidden_bit() -> u32 {
    return HIDDEN;
}

// Where four numbers are in the window, from its lowest exponent up, in the upper eight bits. One comparison says
// whether a number is in it.
fn places(v: vec4<u32>, window: u32) -> vec4<u32> {
    return (v << vec4<u32>(1u)) - vec4<u32>(window << 24u);
}

// A batch with four more numbers, of which these are the places and hidden bits.
fn add_four(sums: Sums, v: vec4<u32>, u: vec4<u32>, hidden: vec4<u32>) -> Sums {
    let m = (v & vec4<u32>(0x7fffffu)) | hidden;
    // All ones where the number is negative.
    let sign = bitcast<vec4<u32>>(bitcast<vec4<i32>>(v) >> vec4<u32>(31u));
    let x = (m ^ sign) - sign;
    let s = u >> vec4<u32>(24u);
    let middle = bitcast<vec4<u32>>(bitcast<vec4<i32>>(x) >> (vec4<u32>(DIGIT) - s));
    return Sums(sums.low + (x << s), sums.middle + middle);
}

fn across(v: vec4<u32>) -> u32 {
    return v.x + v.y + v.z + v.w;
}

// An accumulator with a batch.
fn settle(acc: Acc, sums: Sums, flags: u32) -> Acc {
    let middle_sum = across(sums.middle);
    let low = acc.low + across(sums.low) - (middle_sum << DIGIT);
    let middle = acc.middle + middle_sum + (low >> DIGIT);
    let carry = bitcast<u32>(bitcast<i32>(middle) >> DIGIT);
    return Acc(low & MASK, middle & MASK, acc.high + carry, acc.tag | flags);
}
