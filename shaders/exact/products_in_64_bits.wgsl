// A batch of sixteen products as two sums of 64 bits.
//
// A product of two significands has 48 bits, and its place in the window shifts it by up to 27 more: too many for one sum.
// So it is multiplied in two halves of 24 bits, each by the same power of two, which has the product's sign
// (batch_in_64_bits.wgsl explains it). Both sums are eight times what they are in units of the window, and less than 2^58;
// they start with what the three lower digits hold.
#import operator
#import exact/sign_unknown

struct Sums {
    lower: i64,
    // Of the upper halves, in units of 2^24.
    upper: i64,
}

const HALF: u32 = 24u;
// How far products are shifted from the window's units: 30 − 27.
const EXTRA: u32 = 3u;

// A batch without products yet: the lower digits of the sum so far.
fn begin_batch(acc: Acc) -> Sums {
    let lower = (i64(acc.middle) << (DIGIT + EXTRA)) | i64(acc.low << EXTRA);
    return Sums(lower, i64(acc.high) << (2u * DIGIT - HALF + EXTRA));
}

// Where sums of exponents, in the upper nine bits, are in the window, from its highest one down.
fn places(exponents: vec4<u32>, window: u32) -> vec4<u32> {
    return vec4<u32>((window + SPAN - 1u) << 23u) - exponents;
}

// A batch with four more products of normal factors, at these places, if they are wanted.
fn add_products(sums: Sums, f: Factors, u: vec4<u32>, wanted: vec4<u32>) -> Sums {
    let a = ((f.v & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u)) & wanted;
    let b = (f.w & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u);
    let product = vec4<u64>(a) * vec4<u64>(b);
    let sign = vec4<u32>(sign_unknown());
    let lower = bitcast<vec4<i32>>((vec4<u32>(product) & vec4<u32>(0xffffffu)) | sign);
    let upper = bitcast<vec4<i32>>(vec4<u32>(product >> vec4<u32>(HALF)) | sign);
    let highest = bitcast<vec4<i32>>(((f.v ^ f.w) & vec4<u32>(0x80000000u)) | vec4<u32>(0x40000000u));
    let power = vec4<i64>(highest >> (u >> vec4<u32>(23u)));
    let x = vec4<i64>(lower) * power;
    let y = vec4<i64>(upper) * power;
    return Sums(sums.lower + x.x + x.y + x.z + x.w, sums.upper + y.x + y.y + y.z + y.w);
}

// An accumulator with a batch, which holds its lower digits.
fn settle(acc: Acc, sums: Sums, flags: u32) -> Acc {
    let lowest = u32(sums.lower >> EXTRA) & 0xffffffu;
    let rest = (sums.upper >> EXTRA) + (sums.lower >> (HALF + EXTRA));
    let low = (lowest | (u32(rest) << HALF)) & MASK;
    let middle = u32(rest >> (DIGIT - HALF)) & MASK;
    let high = u32(rest >> (2u * DIGIT - HALF)) & MASK;
    let top = bitcast<u32>(i32(rest >> (3u * DIGIT - HALF)));
    return Acc(low, middle, high, acc.top + top, acc.tag | flags);
}
