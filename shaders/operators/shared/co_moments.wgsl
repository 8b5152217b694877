// The number of pairs, both means, the sums of squared distances from them, and the sum of the products of these distances.
//
// The method is that of float_moments.wgsl, which says how: squares and products are kept around the means of the pairs so far, and a merge adds what
// the distance between two such means contributes. Here each mean is the sum of two floats, a short one and the rest, for floats of 32 bits,
// too: 10^8 with a noise of 1 has the covariance of the noise. Vectors of two hold what x and y have both.
// Squares and products are those of distances in a unit of x and one of y (unit.wgsl), which lie in the bits that a short float leaves.
#import real
#import short
#import unit

struct Acc {
    mean: vec2<Bits>,
    low: vec2<Real>,
    squares: vec2<Real>,
    products: Real,
    n: u32,
}

fn powers_of(mean: vec2<Bits>) -> vec2<Real> {
    return vec2<Real>(power_of(unit_of(mean.x)), power_of(unit_of(mean.y)));
}

// The upper half of the significands, as bits and as floats.
fn upper_half(x: vec2<Real>) -> vec2<Bits> {
    return bitcast<vec2<Bits>>(x) & vec2<Bits>(SHORT);
}

fn short_of(mean: vec2<Bits>) -> vec2<Real> {
    return bitcast<vec2<Real>>(mean & vec2<Bits>(SHORT));
}

fn map(first: Elem, second: Elem, index: u32) -> Acc {
    let pair = vec2<Real>(Real(first), Real(second)) * Real(0.5);
    let mean = upper_half(pair);
    let units = vec2<Bits>(Bits(exponent_of(pair.x)), Bits(exponent_of(pair.y)));
    return Acc(mean | units, pair - short_of(mean), vec2<Real>(), Real(0), 1u);
}

fn map4(first: vec4<Elem>, second: vec4<Elem>, index: u32) -> Acc {
    let x = vec4<Real>(first);
    let y = vec4<Real>(second);
    let mean = upper_half(vec2<Real>(near_mean_of(x), near_mean_of(y)) * Real(0.5));
    let high = short_of(mean);
    let dx = x * Real(0.5) - vec4<Real>(high.x);
    let dy = y * Real(0.5) - vec4<Real>(high.y);
    let low = vec2<Real>(sum_of(dx), sum_of(dy)) * Real(0.25);
    let unit_x = exponent_of(largest_of(x));
    let unit_y = exponent_of(largest_of(y));
    let ax = (dx - vec4<Real>(low.x)) * inverse_of(unit_x);
    let ay = (dy - vec4<Real>(low.y)) * inverse_of(unit_y);
    let squares = vec2<Real>(sum_of(ax * ax), sum_of(ay * ay));
    return Acc(mean | vec2<Bits>(Bits(unit_x), Bits(unit_y)), low, squares, sum_of(ax * ay), 4u);
}

fn identity() -> Acc {
    return Acc(vec2<Bits>(), vec2<Real>(), vec2<Real>(), Real(0), 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let share = Real(b.n) / max(Real(n), Real(1));
    let high = short_of(b.mean) - short_of(a.mean);
    let rest = b.low - a.low;
    let step = high * share;
    let mean = upper_half(short_of(a.mean) + step);
    let unit_x = max(unit_of(a.mean.x), unit_of(b.mean.x));
    let unit_y = max(unit_of(a.mean.y), unit_of(b.mean.y));
    let inverse = vec2<Real>(inverse_of(unit_x), inverse_of(unit_y));
    let d = (high + rest) * inverse;
    let ratio_a = powers_of(a.mean) * inverse;
    let ratio_b = powers_of(b.mean) * inverse;
    let weighted = d * (Real(a.n) * share);
    return Acc(
        mean | vec2<Bits>(Bits(unit_x), Bits(unit_y)),
        ((short_of(a.mean) - short_of(mean)) + step) + (a.low + rest * share),
        (a.squares * ratio_a * ratio_a + b.squares * ratio_b * ratio_b) + d * weighted,
        (a.products * ratio_a.x * ratio_a.y + b.products * ratio_b.x * ratio_b.y) + d.x * weighted.y,
        n,
    );
}
