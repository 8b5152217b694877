// Geometric mean of floats and integers, in 32 or 64 bits: e to the power of the mean of the logarithms. Empty input: NaN.
//
// A product overflows or underflows after a few elements. A sum of logarithms does not: the largest 64-bit float has the logarithm 709.8.
//
// Elements that are not positive and finite are detected by their bits, before any arithmetic, and recorded in `seen`. As in SciPy's
// `gmean`, the result is NaN for a NaN, for a negative number, and for a zero together with an infinity. Otherwise a zero gives 0 and
// an infinity gives infinity. Subnormal floats count as zero, because some GPUs flush them when a shader reads them.
//
// The relative error grows with the logarithms: after d additions, the mean is off by d half units of the mean of |log x|. Elements
// near 1 lose nothing; elements near 2^100 lose two digits.
#import operators/shared/exp_log
#import operators/shared/real

struct Acc {
    sum: Real,
    seen: u32,
}

// The bits of the smallest normal element.
#ifdef half
const NORMAL: Bits = 0x38800000u;
#else
#ifdef bits_64
const NORMAL: Bits = 0x0010000000000000lu;
#else
const NORMAL: Bits = 0x00800000u;
#endif
#endif

const SEEN_ZERO: u32 = 1u;
const SEEN_INFINITY: u32 = 2u;
const SEEN_NAN: u32 = 4u;

fn identity() -> Acc { return Acc(Real(0), 0u); }

fn map(elem: Elem, index: u32) -> Acc {
    let x = Real(elem);
    let bits = bitcast<Bits>(x);
    if bits - NORMAL < INFINITE - NORMAL {
        return Acc(logarithm(x), 0u);
    }
    if (bits & MAGNITUDE) < NORMAL {
        return Acc(Real(0), SEEN_ZERO);
    }
    return Acc(Real(0), select(SEEN_NAN, SEEN_INFINITY, bits == INFINITE));
}

fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, a.seen | b.seen); }

fn finish(acc: Acc, n: u32) -> Real {
    // Zero at run time. The compiler cannot fold it: constant infinities and NaNs are errors in WGSL.
    let zero = acc.seen >> 3u;
    if n == 0u || acc.seen > SEEN_INFINITY {
        return not_a_number(zero);
    }
    if acc.seen == SEEN_INFINITY {
        return bitcast<Real>(INFINITE | Bits(zero));
    }
    if acc.seen == SEEN_ZERO {
        return Real(0);
    }
    // The mean of finite numbers is finite, so `min` undoes an overflow by rounding.
    return min(exponential(acc.sum / Real(n)), LARGEST);
}
