// The number of pairs, both means, the sums of squared distances from them, and the sum of the products of these distances.
//
// The method is that of float_moments.wgsl: squares and products are kept around the means of the pairs so far, and a merge adds what
// the distance between two such means contributes. Here each mean is the sum of two floats, a short one and the rest, for floats of 32 bits,
// too (double_moments.wgsl says how): 10^8 with a noise of 1 has the covariance of the noise. Vectors of two hold what x and y have both.
#import real
#import short

struct Acc {
    mean: vec2<Real>,
    low: vec2<Real>,
    squares: vec2<Real>,
    products: Real,
    n: u32,
}

// The upper half of the significands.
fn short_of(x: vec2<Real>) -> vec2<Real> {
    return bitcast<vec2<Real>>(bitcast<vec2<Bits>>(x) & vec2<Bits>(SHORT));
}

fn sum_of(v: vec4<Real>) -> Real {
    return (v.x + v.y) + (v.z + v.w);
}

fn map(first: Elem, second: Elem, index: u32) -> Acc {
    let pair = vec2<Real>(Real(first), Real(second));
    let mean = short_of(pair);
    return Acc(mean, pair - mean, vec2<Real>(), Real(0), 1u);
}

fn map4(first: vec4<Elem>, second: vec4<Elem>, index: u32) -> Acc {
    let x = vec4<Real>(first);
    let y = vec4<Real>(second);
    // Divided by four before they are added: four large elements do not overflow.
    let mean = short_of(vec2<Real>(sum_of(x * Real(0.25)), sum_of(y * Real(0.25))));
    let dx = x - vec4<Real>(mean.x);
    let dy = y - vec4<Real>(mean.y);
    let low = vec2<Real>(sum_of(dx), sum_of(dy)) * Real(0.25);
    let ax = dx - vec4<Real>(low.x);
    let ay = dy - vec4<Real>(low.y);
    return Acc(mean, low, vec2<Real>(sum_of(ax * ax), sum_of(ay * ay)), sum_of(ax * ay), 4u);
}

fn identity() -> Acc {
    return Acc(vec2<Real>(), vec2<Real>(), vec2<Real>(), Real(0), 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let share = Real(b.n) / max(Real(n), Real(1));
    let high = b.mean - a.mean;
    let rest = b.low - a.low;
    let step = high * share;
    let mean = short_of(a.mean + step);
    let d = high + rest;
    let weighted = d * (Real(a.n) * share);
    return Acc(
        mean,
        ((a.mean - mean) + step) + (a.low + rest * share),
        (a.squares + b.squares) + d * weighted,
        (a.products + b.products) + d.x * weighted.y,
        n,
    );
}
