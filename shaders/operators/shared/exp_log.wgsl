// Exponential and logarithm of 64-bit floats: WGSL has none, nor have the languages it is translated to. Both take the same
// three steps: move the argument to where a short polynomial serves, evaluate that, undo the move with the exponent's bits.
//
// EXPONENTIAL. With k the whole number nearest to x / ln 2, what is left, r = x - k ln 2, is at most ln 2 / 2 in size, and
//
//     e^x = 2^k · e^r
//
// - The remainder. k times a rounded ln 2 would be off by k times its rounding: three digits for large x. So ln 2 comes in two
//   parts. The first has 37 bits, k has 11: their product is exact, and so, by cancellation, is the first difference. Only the
//   second part, 40 bits further down, rounds.
// - The polynomial. e^r = 1 + r + r²/2 + r³ (1/6 + r/24 + …). Cut off after r^11, Taylor's series would be off by tens of units
//   in the last place at the ends of the interval. Coefficients fitted to the whole interval, such that the largest relative
//   error is as small as they can make it, are off by 0.05 units. Small terms are added first: only the last sum rounds much.
// - The scaling. 2^k is a float whose exponent's bits are k + 1023 and whose other bits are zero. Where e^x is near the ends of
//   the range, 2^k lies beyond it, so two factors of about half of k each are taken.
//
// It holds for |x| up to 1400, which is beyond what does not overflow to infinity (709.78) or vanish (-745.13). Results that
// are not normal (below -708.39) are rounded a second time, or zero where the device flushes them.
//
// LOGARITHM. The bits of x give x = 2^k · m. Less those of √½, their exponent's part is the k for which m lies between √½ and
// √2, where f = m - 1, which is exact, is of either sign, and
//
//     log x = k ln 2 + log(1 + f)
//
// With s = f / (2 + f), log(1 + f) = log((1 + s) / (1 - s)) = 2 (s + s³/3 + s⁵/5 + …): s is at most 0.172, and each term less
// than 0.03 of the one before. Now 2s = f - s f, hence
//
//     log(1 + f) = f - s (f - R)     R = 2 (s²/3 + s⁴/5 + …)
//
// in which f is exact, and what s was rounded by weighs little, as what is subtracted is small. The first part of ln 2 times k
// is exact again. The series stands as it is, ten terms: it is needed once a result. x must be positive and normal.
//
// Evaluated as written, fused or not, the exponential is off by less than a unit in the last place. Compilers may rearrange sums:
// Mesa's makes it 1.3 units, as if 1 + r were added first; and its logarithm is within 1.1. Therefore nothing here adds what it
// later subtracts, to split or round a number: such a compiler would leave that out.
//
// Neither function knows infinities or NaNs: who calls looks at bits.
//
// Floats of 32 bits have WGSL's own.
#import real

#ifdef bits_64
const LN2_HIGH: Real = 0x1.62e42fefap-1lf;
const LN2_LOW: Real = 0x1.cf79abc9e3b3ap-40lf;
const LOG2_E: Real = 0x1.71547652b82fep+0lf;

// Bits of a float behind its exponent, and what is added to the exponent.
const DIGITS: u32 = 52u;
const BIAS: i32 = 1023i;

// The bits of √½.
const ROOT_HALF: i64 = 0x3fe6a09e667f3bcdli;

// Where the exponential is zero.
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
// Where the exponential is zero.
const FAINT: Real = -128.0;

fn exponential(x: Real) -> Real {
    return exp(x);
}

fn logarithm(x: Real) -> Real {
    return log(x);
}
#endif
