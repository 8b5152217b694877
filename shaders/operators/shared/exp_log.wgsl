// Exponential and logarithm of 64-bit floats. Neither WGSL nor the languages it is translated to have them.
// Both functions take three steps: reduce the argument to an interval where a short polynomial is accurate,
// evaluate the polynomial, and undo the reduction with the bits of the exponent.
//
// EXPONENTIAL. Let k be the integer nearest to x / ln 2. The remainder r = x - k ln 2 is at most ln 2 / 2 in
// magnitude, and
//
//     e^x = 2^k · e^r
//
// - The remainder. k times a rounded ln 2 would be off by k times the rounding error: three digits for large
//   x. So ln 2 is split into two parts. The first has 37 bits and k has 11, so their product is exact, and by
//   cancellation the first difference is exact, too. Only the second part, 40 bits lower, causes rounding.
// - The polynomial. e^r = 1 + r + r²/2 + r³ (1/6 + r/24 + …). Truncated after r^11, the Taylor series would
//   be off by tens of units in the last place at the ends of the interval. Minimax coefficients, which
//   minimise the largest relative error over the interval, are off by 0.05 units. Small terms are added
//   first, so that only the last sum rounds much.
// - The scaling. 2^k is a float whose exponent bits are k + 1023 and whose other bits are zero. If e^x is
//   near the ends of the range of floats, 2^k is out of range, so the scaling takes two factors with about
//   half of k each.
//
// The method is valid for |x| up to 1400. This covers all x whose result neither overflows to infinity (above
// 709.78) nor vanishes (below -745.13). Subnormal results (x below -708.39) are rounded a second time, or are
// zero if the device flushes them.
//
// LOGARITHM. The bits of x give x = 2^k · m. After the bits of √½ are subtracted, the exponent field holds
// the k for which m lies between √½ and √2. Then f = m - 1 is exact and may have either sign, and
//
//     log x = k ln 2 + log(1 + f)
//
// With s = f / (2 + f), log(1 + f) = log((1 + s) / (1 - s)) = 2 (s + s³/3 + s⁵/5 + …). s is at most 0.172,
// and each term is less than 0.03 of the previous one. Since 2s = f - s f,
//
//     log(1 + f) = f - s (f - R)     R = 2 (s²/3 + s⁴/5 + …)
//
// in which f is exact, and the rounding error of s matters little, because the subtracted term is small. The
// first part of ln 2 times k is exact again. The series is used directly, with ten terms: it is needed only
// once per result. x must be positive and normal.
//
// Evaluated as written, fused or not, the exponential is off by less than a unit in the last place. But
// compilers may rearrange sums: with Mesa's it is off by 1.3 units, as if 1 + r were added first, and its
// logarithm is within 1.1 units. Therefore nothing here adds a number and later subtracts it, to split or to
// round another number: such a compiler would remove that.
//
// Neither function handles infinities or NaNs: the caller tests the bits.
//
// For floats of 32 bits WGSL's own functions are used.
#import real

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

fn power_of_two(k: i32) -> Real {
    return bitcast<f64>(u64(k + BIAS) << DIGITS);
}

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
    series = series * z + 2.0lf / 19.0lf;
    series = series * z + 2.0lf / 17.0lf;
    series = series * z + 2.0lf / 15.0lf;
    series = series * z + 2.0lf / 13.0lf;
    series = series * z + 2.0lf / 11.0lf;
    series = series * z + 2.0lf / 9.0lf;
    series = series * z + 2.0lf / 7.0lf;
    series = series * z + 2.0lf / 5.0lf;
    series = series * z + 2.0lf / 3.0lf;
    let log = f - s * (f - series * z);

    let whole = f64(i32(k));
    return whole * LN2_HIGH + (whole * LN2_LOW + log);
}
#else
// The exponential is zero here and below.
const FAINT: Real = -128.0;

fn exponential(x: Real) -> Real {
    return exp(x);
}

fn logarithm(x: Real) -> Real {
    return log(x);
}
#endif
