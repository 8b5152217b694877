// The format of sums of 64-bit floats, by 32-bit integers alone. A number in the window is x = m · ±2^s: a significand of 53 bits,
// the s-th of 28 exponents. To add such numbers in words takes carries for each of them. Three sums that overlap take none:
//
//     low      Σ x           modulo 2^32
//     middle   Σ ⌊x / 2^27⌋  modulo 2^32
//     high     Σ ⌊x / 2^54⌋  exact, signed
//
// Up to 31 numbers lose less than 2^32 by each rounding down. So `middle` and `high` determine Σ ⌊x / 2^27⌋, and that with `low`
// determines Σ x. With digits of 4 bits and words of 8, for x = 0x5a7, 0x3ff and 0x201, of which the sum is 0xba7:
//
//     low      0xa7 + 0xff + 0x01   0xa7     less middle << 4     0xa7 - 0x90    0x17         digit 7, carry 1
//     middle   0x5a + 0x3f + 0x20   0xb9     less high << 4       0xb9 - 0xa0    0x19 + 1     digit a, carry 1
//     high     0x5  + 0x3  + 0x2    0xa                                          0xa  + 1     digit b
//
// The bits of a negative number are flipped in each of its shares. That is -x - 1, so the number of negatives is added once.
#import shared/exact/lanes

struct Numbers { low: vec2<u32>, high: vec2<u32> }
struct Shares { low: vec2<u32>, middle: vec2<u32>, high: vec2<u32>, negatives: vec2<u32> }
alias Lanes = vec2<u32>;
const LANES: u32 = 2u;
const BITS: u32 = 53u;
const ONE: u32 = 1023u;
const SPECIAL: u32 = 2047u;
const LOWEST: u32 = 1u;
const SPAN: u32 = 28u;
const LAST_WINDOW: u32 = 2019u;
const FIRST_MOVE: u32 = 0u;
const ZEROS_FIT: bool = false;
const MAY_LOAD_AHEAD: bool = true;
// 2^32 numbers of 80 bits have 112, of which the highest digit has 31.
const DIGIT: u32 = 27u;
const UNDER: u32 = 0u;
const OVER: u32 = 0u;

fn shares(x: Numbers, window: u32, which: Lanes) -> Shares {
    let s = (places(x, window) >> vec2<u32>(21u)) & which;
    let r = vec2<u32>(DIGIT) - s;
    let m = x.low & which;
    // The significand's bits from the 27th on.
    let upper = ((((x.high & vec2<u32>(0xfffffu)) | vec2<u32>(0x100000u)) << vec2<u32>(5u)) | (x.low >> vec2<u32>(27u))) & which;
    let sign = bitcast<vec2<u32>>(bitcast<vec2<i32>>(x.high) >> vec2<u32>(31u)) & which;
    let middle = (upper << s) + ((m & vec2<u32>((1u << DIGIT) - 1u)) >> r);
    return Shares((m << s) ^ sign, middle ^ sign, (upper >> r) ^ sign, sign & vec2<u32>(1u));
}

fn joined(a: Shares, b: Shares) -> Shares { return Shares(a.low + b.low, a.middle + b.middle, a.high + b.high, a.negatives + b.negatives); }

fn settle(sums: Shares) -> vec4<u32> {
    let middle = sums.middle.x + sums.middle.y;
    let high = sums.high.x + sums.high.y;
    let low = sums.low.x + sums.low.y + sums.negatives.x + sums.negatives.y;
    return vec4<u32>(low - (middle << DIGIT), middle - (high << DIGIT), high, 0u);
}

// The exponent comes to the top, and the window to 0.
fn places(x: Numbers, window: u32) -> Lanes { return (x.high << vec2<u32>(1u)) - vec2<u32>(window << 21u); }
fn fit(a: Numbers, b: Numbers, c: Numbers, d: Numbers, window: u32) -> u32 {
    let top = max(max(places(a, window), places(b, window)), max(places(c, window), places(d, window)));
    return select(FITS, MISSES, max(top.x, top.y) >= (SPAN << 21u));
}

fn inside(x: Numbers, window: u32) -> Lanes { return select(vec2<u32>(0u), vec2<u32>(0xffffffffu), places(x, window) < vec2<u32>(SPAN << 21u)); }
fn magnitudes(x: Numbers) -> Lanes { return x.low | (x.high << vec2<u32>(1u)); }
fn signs(x: Numbers) -> Lanes { return x.high >> vec2<u32>(31u); }
fn not_minus_zero(x: Numbers) -> Lanes { return x.low | (x.high ^ vec2<u32>(0x80000000u)); }
fn exponents(x: Numbers) -> Lanes { return (x.high << vec2<u32>(1u)) >> vec2<u32>(21u); }
fn largest(v: Lanes) -> u32 { return max(v.x, v.y); }
fn rotated(x: Numbers) -> Numbers { return Numbers(x.low.yx, x.high.yx); }
fn exponent(x: Numbers) -> u32 { return max(exponents(x).x, 1u); }
fn is_nan(x: Numbers) -> bool { return exponents(x).x == SPECIAL && ((x.high.x & 0xfffffu) | x.low.x) != 0u; }
fn significand(x: Numbers) -> vec2<u32> { return vec2<u32>(x.low.x, (x.high.x & 0xfffffu) | select(0u, 0x100000u, exponents(x).x > 0u)); }
