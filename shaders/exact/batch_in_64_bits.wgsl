// A batch of sixteen numbers as one sum of 64 bits.
//
// A number is its significand times a power of two, and a power of two that has the number's sign takes two operations: the
// sign bit with bit 30 set below it is 2^30 or −2^30, and a signed shift to the right makes it ±2^(30 − r). So r counts down
// from the window's highest exponent. The product of two signed words, added to a sum of 64 bits, is one operation on many
// GPUs, and takes neither a shift of 64 bits nor a carry.
//
// That operation takes both words with their signs. Significands have none, and a compiler that knows it may widen them
// as words without a sign, and then multiply in several operations. So their hidden bit comes with a sign bit that is zero, but
// no compiler knows (sign_unknown.wgsl).
//
// The lowest exponent of the window has r = 27: products are eight times the number in units of the window. So a batch is
// eight times the sum of sixteen numbers of 51 bits, less than 2^58, and starts with what the two lower digits hold.
#import operator
#import exact/sign_unknown

alias Sums = i64;

// How far products are shifted from the window's units: 30 − 27.
const EXTRA: u32 = 3u;

// A batch without numbers yet: the lower digits of the sum so far.
fn begin_batch(acc: Acc) -> Sums {
    return (i64(acc.middle) << (DIGIT + EXTRA)) | i64(acc.low << EXTRA);
}

// The hidden bit as `add_four` takes it.
fn hidden_bit() -> u32 {
    return HIDDEN | sign_unknown();
}

// Where four numbers are in the window, from its highest exponent down, in the upper eight bits. The fraction, doubled,
// takes less than the lower 24 bits and borrows nothing. One comparison says whether a number is in it.
fn places(v: vec4<u32>, window: u32) -> vec4<u32> {
    return vec4<u32>(((window + SPAN) << 24u) - 1u) - (v << vec4<u32>(1u));
}

// A batch with four more numbers, of which these are the places and hidden bits.
fn add_four(sums: Sums, v: vec4<u32>, u: vec4<u32>, hidden: vec4<u32>) -> Sums {
    let m = bitcast<vec4<i32>>((v & vec4<u32>(0x7fffffu)) | hidden);
    let highest = bitcast<vec4<i32>>((v & vec4<u32>(0x80000000u)) | vec4<u32>(0x40000000u));
    let power = highest >> (u >> vec4<u32>(24u));
    let x = vec4<i64>(m) * vec4<i64>(power);
    return sums + x.x + x.y + x.z + x.w;
}

// An accumulator with a batch, which holds its lower digits.
fn settle(acc: Acc, sums: Sums, flags: u32) -> Acc {
    let low = u32(sums >> EXTRA) & MASK;
    let middle = u32(sums >> (DIGIT + EXTRA)) & MASK;
    let high = bitcast<u32>(i32(sums >> (2u * DIGIT + EXTRA)));
    return Acc(low, middle, acc.high + high, acc.tag | flags);
}
