// The format of sums of 32-bit floats. A number in the window is x = m · ±2^s: a significand of 24 bits, the s-th of 23 exponents.
//
// Sixteen numbers are added as two sums, without carries and without shifts:
//
//     low    Σ x   as an integer, modulo 2^32: it wraps
//     near   Σ x   as a float, in units of 2^23: rounded
//
// The sum is less than 2^50. Roundings move `near` by less than 3 · 2^28, whatever their direction and the order of the additions.
// So the sum less the multiple of 2^28 that `near` shows is less than 2^30 in magnitude, and `low` has all of its bits:
//
//     x               0x800123 · 2^22       0x800001     -0x800000 · 2^20      Σ x = 0x180049400001
//     low             0x48c00000            0x00800001    0x00000000           0x49400001
//     near / 2^5      nearly 0x180004.94, in units of 2^28                     0x180005
//     low - (0x180005 << 28)    modulo 2^32: 0x49400001 - 0x50000000           -0x6bfffff
//     settled         0x180005 · 2^28 - 0x6bfffff                              0x180049400001
#import shared/exact/lanes

alias Numbers = vec4<u32>;
alias Lanes = vec4<u32>;
const LANES: u32 = 4u;
const BITS: u32 = 24u;
const ONE: u32 = 127u;
const SPECIAL: u32 = 255u;
const LOWEST: u32 = 1u;
// No sum of sixteen numbers of this window is an infinite float: a compiler may scale numbers before or after it adds them.
const SPAN: u32 = 23u;
const LAST_WINDOW: u32 = 227u;
const FIRST_MOVE: u32 = 2u;
const ZEROS_FIT: bool = true;
const MAY_LOAD_AHEAD: bool = true;
// 2^32 numbers of 54 bits have 86 bits, of which the highest digit has 30.
const DIGIT: u32 = 28u;
const UNDER: u32 = 28u;
const OVER: u32 = 8u;

struct Shares {
    low: vec4<u32>,
    near: vec4<f32>,
}

// A number's sign and exponent, as a float, become ±2^s by a multiplication, and an integer by the addition of ORIGIN.
fn shares(x: Numbers, window: u32, which: Lanes) -> Shares {
    let v = x & which;
    let scale = bitcast<f32>((2u * ONE - window) << 23u);
    let power = bitcast<vec4<f32>>(v & vec4<u32>(0xff800000u)) * scale;
    let factor = bitcast<vec4<u32>>(power + vec4<f32>(ORIGIN)) - vec4<u32>(ORIGIN_BITS);
    return Shares(((v & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u)) * factor, bitcast<vec4<f32>>(v) * scale);
}

fn joined(a: Shares, b: Shares) -> Shares { return Shares(a.low + b.low, a.near + b.near); }

// No compiler can take ORIGIN into the sum of floats: a multiplication lies between.
fn settle(sums: Shares) -> vec4<u32> {
    let quotient = integer((sums.near.x + sums.near.y + sums.near.z + sums.near.w) * 0x1p-5f);
    return vec4<u32>(0u, across(sums.low) - (quotient << DIGIT), quotient, 0u);
}

// Zeros fit: of all numbers they are the smallest, and so are their negatives.
fn fit(a: Numbers, b: Numbers, c: Numbers, d: Numbers, window: u32) -> u32 {
    let top = largest_of_four(magnitudes(a), magnitudes(b), magnitudes(c), magnitudes(d));
    let none = vec4<u32>(0u);
    let bottom = largest_of_four(none - magnitudes(a), none - magnitudes(b), none - magnitudes(c), none - magnitudes(d));
    let misses = top >= ((window + SPAN) << 24u) || bottom > (0u - (window << 24u));
    return select(select(FITS, ONLY_ZEROS, top == 0u), MISSES, misses);
}

fn magnitudes(x: Numbers) -> Lanes { return x << vec4<u32>(1u); }
fn signs(x: Numbers) -> Lanes { return x >> vec4<u32>(31u); }
fn not_minus_zero(x: Numbers) -> Lanes { return x ^ vec4<u32>(0x80000000u); }
fn inside(x: Numbers, window: u32) -> Lanes {
    return select(vec4<u32>(0u), vec4<u32>(0xffffffffu), magnitudes(x) - vec4<u32>(window << 24u) < vec4<u32>(SPAN << 24u));
}

fn exponents(x: Numbers) -> Lanes { return magnitudes(x) >> vec4<u32>(24u); }
fn largest(v: Lanes) -> u32 { return largest_of(v); }
fn rotated(x: Numbers) -> Numbers { return x.yzwx; }
fn exponent(x: Numbers) -> u32 { return max(exponents(x).x, 1u); }
fn is_nan(x: Numbers) -> bool { return magnitudes(x).x > 0xff000000u; }
fn significand(x: Numbers) -> vec2<u32> { return vec2<u32>(significand_of(x.x), 0u); }
