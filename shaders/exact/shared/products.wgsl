// A batch of numbers of one word, added without carries and without shifts.
//
// A number in its place in the window is x = m · ±2^s: a significand of 24 bits times a power of two, up to 46 bits. Sixteen
// of them are added as two sums:
//
//     low     Σ x   as an integer, modulo 2^32: it wraps, and that is fine
//     near    Σ x   as a float, in units of 2^23: rounded, and that is fine, too
//
// The sum is less than 2^50. The float says which multiple of 2^28 is near it: roundings move `near` by less than 3 · 2^28, whatever
// their direction and the order of the additions. So what is left is less than 2^30 in magnitude, and a number of that size is
// known by its lowest 32 bits, which `low` has. The result is exact, though one of its parts is rounded.
//
// The factor ±2^s is the sign and the exponent of the number, as bits of a float, times a power of two that is the same for
// all. It becomes an integer by the addition of ORIGIN (origin.wgsl). Zero needs no care: its factor is zero.
#import origin

// Shares of four numbers, or of several such fours, in the two sums.
struct Shares {
    low: vec4<u32>,
    near: vec4<f32>,
}

// What brings numbers of a window's lowest exponent to 1.
fn scale_of(window: u32) -> f32 {
    return bitcast<f32>((2u * ONE - window) << 23u);
}

// Four numbers of the window with this scale, or zeros.
fn shares(v: vec4<u32>, scale: f32) -> Shares {
    let power = bitcast<vec4<f32>>(v & vec4<u32>(0xff800000u)) * scale;
    let factor = bitcast<vec4<u32>>(power + vec4<f32>(ORIGIN)) - vec4<u32>(ORIGIN_BITS);
    let m = (v & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u);
    return Shares(m * factor, bitcast<vec4<f32>>(v) * scale);
}

fn both(a: Shares, b: Shares) -> Shares {
    return Shares(a.low + b.low, a.near + b.near);
}

// An accumulator with the sums of a batch. No compiler can take ORIGIN into the sum of floats: a multiplication lies between.
fn settle(acc: Acc, sums: Shares, flags: u32) -> Acc {
    let near = sums.near.x + sums.near.y + sums.near.z + sums.near.w;
    let quotient = integer(near * 0x1p-5f);
    let y = acc.sum.y + (across(sums.low) - (quotient << DIGIT));
    let z = acc.sum.z + quotient + above(y);
    return Acc(vec4<u32>(acc.sum.x, y & MASK, z & MASK, acc.sum.w + above(z)), acc.tag | flags);
}
