// log(Σ exp(x)) of 16- and 32-bit floats, in 32 bits and one pass. Of nothing: -∞.
//
// exp(89) is already infinite, so the largest element is taken out: log Σ exp(x) = peak + log Σ exp(x - peak). The peak is not
// known before the end; a part keeps its own and the sum relative to it, and a merge scales the part with the lower peak:
//
//     peak = max(peak_a, peak_b)     sum = (the leader's sum) + (the other's sum) · exp(-|peak_a - peak_b|)
//
// One `exp` a merge, as the leader's factor is 1. `map4` takes four elements against their own peak: five for four elements,
// with the merge's. They run in special units at a fraction of the rate of additions, but still faster than memory delivers.
//
// The sum is at least 1 from the first element on, so the logarithm is near nothing singular, and a relative error of the
// sum is an absolute one of the result: a few units of 1 for each merge, whatever the elements' size.
//
// Infinities and NaNs are told apart by their bits, before any arithmetic: -∞ adds nothing, +∞ and NaN are remembered in
// `seen`. Any NaN gives NaN; otherwise +∞ gives +∞; all -∞ give -∞. So SciPy's `logsumexp` answers.

struct Acc {
    peak: f32,
    sum: f32,
    seen: u32,
}

const SEEN_INFINITY: u32 = 1u;
const SEEN_NAN: u32 = 2u;

// Below this exponent a 32-bit `exp` is zero. Differences are cut off here, so that none is infinite.
const FAINT: f32 = -128.0;

fn identity() -> Acc {
    return Acc(-0x1.fffffep+127f, 0.0, 0u);
}

fn map(elem: Elem, index: u32) -> Acc {
    let x = f32(elem);
    let bits = bitcast<u32>(x);
    let size = bits & 0x7fffffffu;
    if size < 0x7f800000u {
        return Acc(x, 1.0, 0u);
    }
    var acc = identity();
    if bits != 0xff800000u {
        acc.seen = select(SEEN_INFINITY, SEEN_NAN, size > 0x7f800000u);
    }
    return acc;
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let x = vec4<f32>(v);
    let size = bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu);
    if max(max(size.x, size.y), max(size.z, size.w)) >= 0x7f800000u {
        return combine(
            combine(map(v.x, index), map(v.y, index)),
            combine(map(v.z, index), map(v.w, index)),
        );
    }
    let peak = max(max(x.x, x.y), max(x.z, x.w));
    let e = exp(max(x - vec4<f32>(peak), vec4<f32>(FAINT)));
    return Acc(peak, (e.x + e.y) + (e.z + e.w), 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let scale = exp(max(-abs(a.peak - b.peak), FAINT));
    let sum = select(b.sum + a.sum * scale, a.sum + b.sum * scale, a.peak >= b.peak);
    return Acc(max(a.peak, b.peak), sum, a.seen | b.seen);
}

fn finish(acc: Acc, n: u32) -> f32 {
    // A zero that no compiler knows: constant infinities and NaNs are errors in WGSL.
    let zero = acc.seen >> 2u;
    if (acc.seen & SEEN_NAN) != 0u {
        return not_a_number(zero);
    }
    if acc.seen != 0u {
        return bitcast<f32>(0x7f800000u | zero);
    }
    if bitcast<u32>(acc.sum) == 0u {
        return bitcast<f32>(0xff800000u | zero);
    }
    return acc.peak + log(acc.sum);
}
