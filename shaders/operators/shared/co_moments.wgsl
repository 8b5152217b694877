// The number of pairs, both means, the sums of squared distances from them, and the sum of the products of these distances.
//
// The method is that of float_moments.wgsl: squares and products are kept around the means of the pairs so far, and a merge adds what the
// distance between two means contributes. Means are sums of a short float and the rest, so 10^8 with a noise of 1 has the covariance of the
// noise; the units of distances (running_mean.wgsl) lie in the bits that the short floats leave. Vectors hold what x and y have both.
#import operators/shared/real
#import operators/shared/running_mean

struct Acc {
    mean: vec2<Bits>,
    low: vec2<Real>,
    squares: vec2<Real>,
    products: Real,
    n: u32,
}

fn map(first: Elem, second: Elem, index: u32) -> Acc {
    let x = Real(first) * Real(0.5);
    let y = Real(second) * Real(0.5);
    let mean = vec2<Bits>(upper_half(x) | Bits(exponent_of(x)), upper_half(y) | Bits(exponent_of(y)));
    return Acc(mean, vec2<Real>(x - short_of(mean.x), y - short_of(mean.y)), vec2<Real>(), Real(0), 1u);
}

fn map4(first: vec4<Elem>, second: vec4<Elem>, index: u32) -> Acc {
    let x = centred(vec4<Real>(first) * Real(0.5), vec4<Real>());
    let y = centred(vec4<Real>(second) * Real(0.5), vec4<Real>());
    let squares = vec2<Real>(sum_of(x.around * x.around), sum_of(y.around * y.around));
    return Acc(vec2<Bits>(x.mean, y.mean), vec2<Real>(x.low, y.low), squares, sum_of(x.around * y.around), 4u);
}

fn identity() -> Acc { return Acc(vec2<Bits>(), vec2<Real>(), vec2<Real>(), Real(0), 0u); }

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let share = Real(b.n) / max(Real(n), Real(1));
    let x = merged(a.mean.x, a.low.x, b.mean.x, b.low.x, share);
    let y = merged(a.mean.y, a.low.y, b.mean.y, b.low.y, share);
    let d = vec2<Real>(x.d, y.d);
    let ratio_a = vec2<Real>(x.ratio_a, y.ratio_a);
    let ratio_b = vec2<Real>(x.ratio_b, y.ratio_b);
    let weighted = d * (Real(a.n) * share);
    return Acc(
        vec2<Bits>(x.mean, y.mean),
        vec2<Real>(x.low, y.low),
        (a.squares * ratio_a * ratio_a + b.squares * ratio_b * ratio_b) + d * weighted,
        (a.products * ratio_a.x * ratio_a.y + b.products * ratio_b.x * ratio_b.y) + d.x * weighted.y,
        n,
    );
}
