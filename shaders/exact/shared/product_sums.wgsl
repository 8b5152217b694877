// A batch of products of two 32-bit floats, added without carries and without a product of 48 bits.
//
// A product in its place in the window is x = p · ±2^s: p, of up to 48 bits, is the product of two significands. A float of p,
// which is rounded, splits it: q is the nearest multiple of 2^25 or one beside it, and d is what is left, of up to 25 bits and a
// sign. As x is a multiple of 2^25 by q and a rest by d, there are two sums, and each is known as the sum of a batch of single
// floats is known (products.wgsl), by its lowest 32 bits and by a float that says what it is near to:
//
//     upper   Σ q · ±2^s   modulo 2^32, of less than 2^48          near   Σ x          as a float, in units of 2^46
//     lower   Σ d · ±2^s   modulo 2^32, of less than 2^51          rest   Σ d · ±2^s   as a float, in units of 8
//
// The sum of a batch is 2^25 · upper + lower. Roundings move `near` by less than 2^52, which is 2^27 of its units of `upper`, and
// `rest` by less than 2^30.
#import origin

struct Shares {
    upper: vec4<u32>,
    lower: vec4<u32>,
    near: vec4<f32>,
    rest: vec4<f32>,
}

// 2^23 and its bits: as ORIGIN, for integers that are not negative.
const BASE: f32 = 0x1p23f;
const BASE_BITS: u32 = 0x4b000000u;

// Four products of normal factors. Powers are the bits of ±2^s, or zero where a product is not wanted.
fn products(f: Factors, power: vec4<u32>) -> Shares {
    let fraction = vec4<u32>(0x7fffffu);
    let hidden = vec4<u32>(0x800000u);
    let v = f.v & fraction;
    let w = f.w & fraction;
    // From 1 to 2, and 2^21 times that.
    let a = bitcast<vec4<f32>>(v | vec4<u32>(0x3f800000u));
    let b = bitcast<vec4<f32>>(w | vec4<u32>(0x4a000000u));
    let split = bitcast<vec4<u32>>(a * b + vec4<f32>(BASE));
    let q = split - vec4<u32>(BASE_BITS);
    // The bits of BASE fall out of the word.
    let d = (v | hidden) * (w | hidden) - (split << vec4<u32>(25u));
    let signed_power = bitcast<vec4<f32>>(power);
    let factor = bitcast<vec4<u32>>(signed_power + vec4<f32>(ORIGIN)) - vec4<u32>(ORIGIN_BITS);
    let eighth = bitcast<vec4<f32>>(bitcast<vec4<u32>>(bitcast<vec4<i32>>(d) >> vec4<u32>(3u)) + vec4<u32>(ORIGIN_BITS));
    return Shares(
        q * factor,
        d * factor,
        a * bitcast<vec4<f32>>(w | power),
        (eighth - vec4<f32>(ORIGIN)) * signed_power,
    );
}

fn both(a: Shares, b: Shares) -> Shares {
    return Shares(a.upper + b.upper, a.lower + b.lower, a.near + b.near, a.rest + b.rest);
}

// An accumulator with the sums of a batch. Each sum is a multiple of 2^29 and a rest with a sign, so there are four numbers to add, at
// the bits 0, 29, 25 and 54 of the window. None of them begins where a digit does: each is cut there.
fn settle(acc: Acc, sums: Shares, flags: u32) -> Acc {
    let near = sums.near.x + sums.near.y + sums.near.z + sums.near.w;
    let rest = sums.rest.x + sums.rest.y + sums.rest.z + sums.rest.w;
    let upper_multiple = integer(near * 0x1p-8f);
    let lower_multiple = integer(rest * 0x1p-26f);
    let upper = across(sums.upper) - (upper_multiple << 29u);
    let lower = across(sums.lower) - (lower_multiple << 29u);
    let numbers = vec4<u32>(lower, lower_multiple, upper, upper_multiple);
    // Where they begin in their digits, which with UNDER are the first, the second, the second and the third, and what is left of
    // those digits.
    let begin = vec4<u32>(11u, 13u, 9u, 11u);
    let left = vec4<u32>(DIGIT) - begin;
    let low = (numbers << begin) & vec4<u32>(MASK);
    let high = bitcast<vec4<u32>>(bitcast<vec4<i32>>(numbers) >> left);
    return carried(Acc(
        vec4<u32>(
            acc.sum.x + low.x,
            acc.sum.y + high.x + low.y + low.z,
            acc.sum.z + high.y + high.z + low.w,
            acc.sum.w + high.w,
        ),
        acc.tag | flags,
    ));
}
