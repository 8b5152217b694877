// log(Σ exp(x)) in one pass, of floats and integers, in 32 or 64 bits. Empty input: -∞.
//
// exp(89) is infinite in 32 bits, and exp(710) in 64 bits, so the largest element is factored out: log Σ exp(x) = peak + log Σ exp(x - peak).
// Each part keeps its own peak and the sum relative to it, and a merge scales the part with the lower peak:
//
//     peak = max(peak_a, peak_b)     sum = (the leader's sum) + (the other's sum) · exp(-|peak_a - peak_b|)
//
// A merge takes one `exp`, because the leader's factor is 1, and `map4` five for four elements, including that of the merge. In 32 bits that is
// faster than the memory delivers elements; in 64 bits (shared/exp_log.wgsl) only on GPUs with fast 64-bit floats.
//
// After the first element the sum is at least 1, so the logarithm is far from its singularity. A relative error of the sum is an absolute error
// of the result: a few units of 1 for each merge, whatever the size of the elements.
//
// Infinities and NaNs are recognised by their bits, before any arithmetic, and recorded in `seen`. As in SciPy's `logsumexp`, any NaN gives
// NaN; otherwise +∞ gives +∞; -∞ adds nothing.
#import operators/shared/exp_log
#import operators/shared/real

struct Acc {
    peak: Real,
    sum: Real,
    seen: u32,
}

const SEEN_INFINITY: u32 = 1u;
const SEEN_NAN: u32 = 2u;

// e to the power of the difference between an element or a peak and the highest peak. Differences are clamped
// where the result is zero, so that none is infinite.
fn share(difference: Real) -> Real { return exponential(max(difference, FAINT)); }
fn identity() -> Acc { return Acc(-LARGEST, Real(0), 0u); }

fn map(elem: Elem, index: u32) -> Acc {
    let x = Real(elem);
    let bits = bitcast<Bits>(x);
    let size = bits & MAGNITUDE;
    if size < INFINITE {
        return Acc(x, Real(1), 0u);
    }
    var acc = identity();
    if bits == size || size > INFINITE {
        acc.seen = select(SEEN_INFINITY, SEEN_NAN, size > INFINITE);
    }
    return acc;
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let x = vec4<Real>(v);
    let size = bitcast<vec4<Bits>>(x) & vec4<Bits>(MAGNITUDE);
    if max(max(size.x, size.y), max(size.z, size.w)) >= INFINITE {
        return combine(combine(map(v.x, index), map(v.y, index)), combine(map(v.z, index), map(v.w, index)));
    }
    let peak = max(max(x.x, x.y), max(x.z, x.w));
    let d = x - vec4<Real>(peak);
    return Acc(peak, (share(d.x) + share(d.y)) + (share(d.z) + share(d.w)), 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let scale = share(-abs(a.peak - b.peak));
    let sum = select(b.sum + a.sum * scale, a.sum + b.sum * scale, a.peak >= b.peak);
    return Acc(max(a.peak, b.peak), sum, a.seen | b.seen);
}

fn finish(acc: Acc, n: u32) -> Real {
    // Always zero, but no compiler knows that: constant infinities and NaNs are errors in WGSL.
    let zero = acc.seen >> 2u;
    if (acc.seen & SEEN_NAN) != 0u {
        return not_a_number(zero);
    }
    if acc.seen != 0u {
        return bitcast<Real>(INFINITE | Bits(zero));
    }
    if bitcast<Bits>(acc.sum) == Bits(0) {
        return bitcast<Real>(~MAGNITUDE | INFINITE | Bits(zero));
    }
    return acc.peak + logarithm(acc.sum);
}
