// Geometric mean of floats and integers, in 32 bits or 64: e to the mean of the logarithms. Of nothing: NaN.
//
// The product itself leaves the range of floats after few elements. Logarithms turn it into a sum, which does not: the largest float
// of 64 bits has a logarithm of 709.8. Their sum is divided and taken back to a power once, in `finish`.
//
// What is not positive and finite is told apart by its bits, before any arithmetic, and remembered in `seen`. A NaN or a number
// below zero gives NaN, and so do a zero and an infinity together; a zero gives 0, an infinity infinity. -0 is a zero. So SciPy's
// `gmean` answers. Floats that are not normal count as zeros: some GPUs take them for zeros before a shader sees them.
//
// The error is relative, and grows with the logarithms: d additions on the way, each of half a unit in the last place of a partial sum,
// are d half units of the mean of |log x| in the end. So elements near 1 lose nothing, those near 2^100 two digits.
#import exp_log

struct Acc {
    sum: Real,
    seen: u32,
}

const SEEN_ZERO: u32 = 1u;
const SEEN_INFINITY: u32 = 2u;
const SEEN_NAN: u32 = 4u;

// The bits of the least element that is normal.
#ifdef half
const NORMAL: Bits = 0x38800000u;
#else
#ifdef bits_64
const NORMAL: Bits = 0x0010000000000000lu;
#else
const NORMAL: Bits = 0x00800000u;
#endif
#endif

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
    // A zero that no compiler knows: constant infinities and NaNs are errors in WGSL.
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
    // The mean of finite numbers is finite, whatever was rounded on the way.
    return min(exponential(acc.sum / Real(n)), LARGEST);
}
