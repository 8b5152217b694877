// The format of sums of products of two 32-bit floats, not rounded. A product in the window is x = p · ±2^s: 48 bits, the s-th of 22
// sums of two exponents. The product of the significands as floats, rounded, splits p: q is the multiple of 2^25 next to p or beside that
// one, and d = p - q, of up to 25 bits and a sign, comes from the lowest 32 bits of p:
//     p = 0x800003 · 0xc00001 = 0x600002c00003      q = 0x300001 << 25 = 0x600002000000      d = 0xc00003
// So there are two sums, each known by its lowest 32 bits and by a float near it, as in single.wgsl. Roundings move `near` by less than
// 2^52, which is 2^27 in units of `upper`, and `rest` by less than 2^30. The sum of a batch is 2^25 · upper + lower.
//     upper   Σ q / 2^25 · ±2^s   modulo 2^32, of less than 2^48        near   Σ x          as a float, in units of 2^46
//     lower   Σ d · ±2^s          modulo 2^32, of less than 2^51        rest   Σ d · ±2^s   as a float, in units of 8
#import lib/lane/full_product
#import shared/exact/lanes

struct Numbers { v: vec4<u32>, w: vec4<u32> }
struct Shares { upper: vec4<u32>, lower: vec4<u32>, near: vec4<f32>, rest: vec4<f32> }
alias Lanes = vec4<u32>;
const LANES: u32 = 4u;
const BITS: u32 = 48u;
const ONE: u32 = 254u;
const SPECIAL: u32 = 0xffffu;
const LOWEST: u32 = 2u;
const SPAN: u32 = 22u;
const LAST_WINDOW: u32 = 487u;
const FIRST_MOVE: u32 = 1u;
const ZEROS_FIT: bool = false;
const MAY_LOAD_AHEAD: bool = false;
// 2^32 products of 69 bits have 101, and 112 with those below the window: 31 in the highest digit.
const DIGIT: u32 = 27u;
const UNDER: u32 = 11u;
const OVER: u32 = 0u;

fn shares(x: Numbers, window: u32, which: Lanes) -> Shares {
    // The bits of ±2^s.
    let power = (((x.v ^ x.w) & vec4<u32>(0x80000000u)) | (places(x, window) + vec4<u32>(127u << 23u))) & which;
    let v = x.v & vec4<u32>(0x7fffffu);
    let w = x.w & vec4<u32>(0x7fffffu);
    // The significands as floats from 1 to 2, and 2^21 times that. 2^23 turns their product into q / 2^25.
    let a = bitcast<vec4<f32>>(v | vec4<u32>(0x3f800000u));
    let split = bitcast<vec4<u32>>(a * bitcast<vec4<f32>>(w | vec4<u32>(0x4a000000u)) + vec4<f32>(0x1p23f));
    // The bits of 2^23 fall out of the word.
    let d = (v | vec4<u32>(0x800000u)) * (w | vec4<u32>(0x800000u)) - (split << vec4<u32>(25u));
    let signed_power = bitcast<vec4<f32>>(power);
    let factor = bitcast<vec4<u32>>(signed_power + vec4<f32>(ORIGIN)) - vec4<u32>(ORIGIN_BITS);
    let eighth = bitcast<vec4<f32>>(bitcast<vec4<u32>>(bitcast<vec4<i32>>(d) >> vec4<u32>(3u)) + vec4<u32>(ORIGIN_BITS)) - vec4<f32>(ORIGIN);
    return Shares((split - vec4<u32>(0x4b000000u)) * factor, d * factor, a * bitcast<vec4<f32>>(w | power), eighth * signed_power);
}

fn joined(a: Shares, b: Shares) -> Shares { return Shares(a.upper + b.upper, a.lower + b.lower, a.near + b.near, a.rest + b.rest); }

// Each sum is a multiple of 2^29 and a rest with a sign: four numbers, at the bits 0, 29, 25 and 54 of the window, which are cut where digits begin.
fn settle(sums: Shares) -> vec4<u32> {
    let upper = integer((sums.near.x + sums.near.y + sums.near.z + sums.near.w) * 0x1p-8f);
    let lower = integer((sums.rest.x + sums.rest.y + sums.rest.z + sums.rest.w) * 0x1p-26f);
    let numbers = vec4<u32>(across(sums.lower) - (lower << 29u), lower, across(sums.upper) - (upper << 29u), upper);
    let begin = vec4<u32>(11u, 13u, 9u, 11u);
    let low = (numbers << begin) & vec4<u32>((1u << DIGIT) - 1u);
    let high = bitcast<vec4<u32>>(bitcast<vec4<i32>>(numbers) >> (vec4<u32>(DIGIT) - begin));
    return vec4<u32>(low.x, high.x + low.y + low.z, high.y + high.z + low.w, high.w);
}

// From the window's lowest exponent up, in the upper nine bits.
fn places(x: Numbers, window: u32) -> vec4<u32> { return fields(x.v) + fields(x.w) - vec4<u32>(window << 23u); }
// At least 0x7f000000 if a factor is not normal: a field of 0 wraps.
fn oddness(x: Numbers) -> vec4<u32> { return max(fields(x.v) - vec4<u32>(0x800000u), fields(x.w) - vec4<u32>(0x800000u)); }
fn fit(a: Numbers, b: Numbers, c: Numbers, d: Numbers, window: u32) -> u32 {
    let odd = max(max(oddness(a), oddness(b)), max(oddness(c), oddness(d)));
    let top = max(max(max(places(a, window), places(b, window)), places(c, window)), places(d, window));
    return select(FITS, MISSES, largest_of(top) >= (SPAN << 23u) || largest_of(odd) >= 0x7f000000u);
}
fn exponents(x: Numbers) -> Lanes {
    let normal = select(vec4<u32>(0u), (fields(x.v) + fields(x.w)) >> vec4<u32>(23u), oddness(x) < vec4<u32>(0x7f000000u));
    return select(normal, vec4<u32>(SPECIAL), max(fields(x.v), fields(x.w)) == vec4<u32>(0x7f800000u));
}
fn inside(x: Numbers, window: u32) -> Lanes {
    return select(vec4<u32>(0u), vec4<u32>(0xffffffffu), exponents(x) - vec4<u32>(window) < vec4<u32>(SPAN));
}
// Zero times an infinity is no zero.
fn magnitudes(x: Numbers) -> Lanes {
    let is_zero = min(x.v << vec4<u32>(1u), x.w << vec4<u32>(1u)) == vec4<u32>(0u);
    return select(vec4<u32>(1u), vec4<u32>(0u), is_zero & (max(fields(x.v), fields(x.w)) < vec4<u32>(0x7f800000u)));
}
fn signs(x: Numbers) -> Lanes { return (x.v ^ x.w) >> vec4<u32>(31u); }
fn not_minus_zero(x: Numbers) -> Lanes { return magnitudes(x) | (signs(x) ^ vec4<u32>(1u)); }
fn largest(v: Lanes) -> u32 { return largest_of(v); }
fn rotated(x: Numbers) -> Numbers { return Numbers(x.v.yzwx, x.w.yzwx); }
fn exponent(x: Numbers) -> u32 { return max(fields(x.v).x >> 23u, 1u) + max(fields(x.w).x >> 23u, 1u); }
fn is_nan(x: Numbers) -> bool { return max(x.v.x << 1u, x.w.x << 1u) > 0xff000000u || min(x.v.x << 1u, x.w.x << 1u) == 0u; }
fn significand(x: Numbers) -> vec2<u32> { return full_product(significand_of(x.v.x), significand_of(x.w.x)); }
