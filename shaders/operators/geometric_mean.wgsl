// Geometric mean of floats and integers, in 32 or 64 bits: e to the power of the mean of the logarithms.
// Empty input: NaN.
//
// The product itself overflows or underflows after a few elements. Logarithms turn it into a sum, which does
// not: the largest float of 64 bits has a logarithm of 709.8. `finish` divides the sum and takes the
// exponential, once.
//
// Elements that are not positive and finite are recognised by their bits, before any arithmetic, and recorded
// in `seen`. A NaN or a number below zero gives NaN, and so do a zero and an infinity together. A zero gives
// 0, and an infinity gives infinity. -0 is a zero. These are the results of SciPy's `gmean`. Subnormal floats
// count as zeros: some GPUs flush them to zero before a shader reads them.
//
// The relative error grows with the logarithms. If the depth is d, each addition is off by half a unit in the
// last place of a partial sum, and the mean is off by d half units of the mean of |log x|. So elements near 1
// lose nothing, and elements near 2^100 lose two digits.
#import exp_log
#import real
#import normal

struct Acc {
    sum: Real,
    seen: u32,
}

const SEEN_ZERO: u32 = 1u;
const SEEN_INFINITY: u32 = 2u;
const SEEN_NAN: u32 = 4u;

fn identity() -> Acc {
    return Acc(Real(0), 0u);
}

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

fn combine(a: Acc, b: Acc) -> Acc {
    return Acc(a.sum + b.sum, a.seen | b.seen);
}

fn finish(acc: Acc, n: u32) -> Real {
    // Always zero, but no compiler knows that: constant infinities and NaNs are errors in WGSL.
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
