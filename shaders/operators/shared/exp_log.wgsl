// Exponential and logarithm of 64-bit floats, which neither WGSL nor the languages it is translated to have. 32-bit floats use WGSL's own
// functions. The caller tests the bits for infinities and NaNs.
//
// EXPONENTIAL. Let k be the integer nearest to x / ln 2. The remainder r = x - k ln 2 is at most ln 2 / 2 in magnitude, and e^x = 2^k · e^r.
//
// - The remainder. ln 2 is split into two parts. The first has 37 bits and k has 11, so their product is exact, and by cancellation the first
//   difference is exact, too. Only the second part causes rounding.
// - The polynomial. e^r = 1 + r + r²/2 + r³ (1/6 + r/24 + …) up to r^11, with minimax coefficients: Taylor's would be off by tens of units in
//   the last place at the ends of the interval. Small terms are added first.
// - The scaling. 2^k may be out of range, so it takes two factors with about half of k each.
//
// It is valid for |x| up to 1400: all x whose result neither overflows (above 709.78) nor vanishes (below -745.13). Subnormal results are
// rounded a second time, or are zero if the device flushes them.
//
// LOGARITHM of a positive, normal x. x = 2^k · m with m between √½ and √2. Then f = m - 1 is exact, and
//
//     log x = k ln 2 + log(1 + f)     log(1 + f) = f - s (f - R)     s = f / (2 + f)     R = 2 (s²/3 + s⁴/5 + …)
//
// s is at most 0.172, so ten terms are enough, and its rounding error matters little.
//
// Both are off by less than a unit in the last place; with Mesa's compiler, which rearranges sums, by 1.3 and 1.1 units. Nothing here adds a
// number and later subtracts it, which such a compiler would remove.
#import operators/shared/real

#ifdef bits_64
const LN2_HIGH: Real = 0x1.62e42fefap-1lf;
const LN2_LOW: Real = 0x1.cf79abc9e3b3ap-40lf;
const LOG2_E: Real = 0x1.71547652b82fep+0lf;

// The number of mantissa bits of a float, and the bias of its exponent.
const DIGITS: u32 = 52u;
const BIAS: i32 = 1023i;

// The bits of √½.
const ROOT_HALF: i64 = 0x3fe6a09e667f3bcdli;

// The exponential is zero here and below.
const FAINT: Real = -746.0lf;

fn power_of_two(k: i32) -> Real { return bitcast<f64>(u64(k + BIAS) << DIGITS); }

fn exponential(x: Real) -> Real {
    let whole = floor(x * LOG2_E + 0.5lf);
    let r = (x - whole * LN2_HIGH) - whole * LN2_LOW;

    var p = 0x1.ad200eec95a6bp-26lf;
    p = p * r + 0x1.289f8c7086125p-22lf;
    p = p * r + 0x1.71df5548d23d4p-19lf;
    p = p * r + 0x1.a019ab2b8ab50p-16lf;
    p = p * r + 0x1.a01a011c1e9acp-13lf;
    p = p * r + 0x1.6c16c17cc3bffp-10lf;
    p = p * r + 0x1.111111112888bp-7lf;
    p = p * r + 0x1.5555555553205p-5lf;
    p = p * r + 0x1.5555555555501p-3lf;
    p = p * r + 0.5lf;
    let power = 1.0lf + (r + r * r * p);

    let k = i32(whole);
    let half = k >> 1u;
    return (power * power_of_two(half)) * power_of_two(k - half);
}

fn logarithm(x: Real) -> Real {
    let bits = bitcast<i64>(x);
    let k = (bits - ROOT_HALF) >> DIGITS;
    let f = bitcast<f64>(bits - (k << DIGITS)) - 1.0lf;

    let s = f / (2.0lf + f);
    let z = s * s;
    var series = 2.0lf / 21.0lf;
    #for n in 19 17 15 13 11 9 7 5 3: series = series * z + 2.0lf / $n.0lf;
    let log = f - s * (f - series * z);

    let whole = f64(i32(k));
    return whole * LN2_HIGH + (whole * LN2_LOW + log);
}
#else
// The exponential is zero here and below.
const FAINT: Real = -128.0;

fn exponential(x: Real) -> Real { return exp(x); }
fn logarithm(x: Real) -> Real { return log(x); }
#endif
