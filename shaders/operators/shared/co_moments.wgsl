// The number of pairs, both means, the sums of squared distances from them, and the sum of the products of these distances.
//
// The method is that of float_moments.wgsl: squares and products are kept around the means of the pairs so far, and a merge adds what
// the distance between two such means contributes. Here each mean is the sum of two floats, a short one and the rest, for floats of 32 bits,
// too (double_moments.wgsl says how): 10^8 with a noise of 1 has the covariance of the noise. Vectors of two hold what x and y have both.
// Squares and products are those of distances in a unit of x and one of y (unit.wgsl): a correlation does not depend on the scale.
#import real
#import short
#import unit

struct Acc {
    mean: vec2<Real>,
    low: vec2<Real>,
    squares: vec2<Real>,
    products: Real,
    n: u32,
    // The unit of x in the lower half, that of y in the upper one.
    units: u32,
}

fn powers_of(units: u32) -> vec2<Real> {
    return vec2<Real>(power_of(units & 0xffffu), power_of(units >> 16u));
}

// The upper half of the significands.
fn short_of(x: vec2<Real>) -> vec2<Real> {
    return bitcast<vec2<Real>>(bitcast<vec2<Bits>>(x) & vec2<Bits>(SHORT));
}

fn map(first: Elem, second: Elem, index: u32) -> Acc {
    let pair = vec2<Real>(Real(first), Real(second));
    let mean = short_of(pair);
    return Acc(mean, pair - mean, vec2<Real>(), Real(0), 1u, 0u);
}

fn map4(first: vec4<Elem>, second: vec4<Elem>, index: u32) -> Acc {
    let x = vec4<Real>(first);
    let y = vec4<Real>(second);
    // Divided by four before they are added: four large elements do not overflow.
    let mean = short_of(vec2<Real>(sum_of(x * Real(0.25)), sum_of(y * Real(0.25))));
    let dx = x - vec4<Real>(mean.x);
    let dy = y - vec4<Real>(mean.y);
    let low = vec2<Real>(sum_of(dx * Real(0.25)), sum_of(dy * Real(0.25)));
    let far_x = dx - vec4<Real>(low.x);
    let far_y = dy - vec4<Real>(low.y);
    let unit_x = exponent_of(largest_of(far_x));
    let unit_y = exponent_of(largest_of(far_y));
    let ax = far_x * inverse_of(unit_x);
    let ay = far_y * inverse_of(unit_y);
    return Acc(mean, low, vec2<Real>(sum_of(ax * ax), sum_of(ay * ay)), sum_of(ax * ay), 4u, unit_x | (unit_y << 16u));
}

fn identity() -> Acc {
    return Acc(vec2<Real>(), vec2<Real>(), vec2<Real>(), Real(0), 0u, 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let share = Real(b.n) / max(Real(n), Real(1));
    let high = b.mean - a.mean;
    let rest = b.low - a.low;
    let step = high * share;
    let mean = short_of(a.mean + step);
    // Nothing is at no distance: its unit would be that of the mean.
    let distance = select(vec2<Real>(), high + rest, a.n > 0u && b.n > 0u);
    let unit_x = max(max(a.units & 0xffffu, b.units & 0xffffu), exponent_of(distance.x));
    let unit_y = max(max(a.units >> 16u, b.units >> 16u), exponent_of(distance.y));
    let inverse = vec2<Real>(inverse_of(unit_x), inverse_of(unit_y));
    let d = distance * inverse;
    let ratio_a = powers_of(a.units) * inverse;
    let ratio_b = powers_of(b.units) * inverse;
    let weighted = d * (Real(a.n) * share);
    return Acc(
        mean,
        ((a.mean - mean) + step) + (a.low + rest * share),
        (a.squares * ratio_a * ratio_a + b.squares * ratio_b * ratio_b) + d * weighted,
        (a.products * ratio_a.x * ratio_a.y + b.products * ratio_b.x * ratio_b.y) + d.x * weighted.y,
        n,
        unit_x | (unit_y << 16u),
    );
}
