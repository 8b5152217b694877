// Count, mean, and the sums of the second, third and fourth powers of distances from the mean, in one pass.
//
// As in float_moments.wgsl the powers are taken around the mean of the elements so far, here a sum of two floats, and a merge moves both parts
// to the common mean. If d is the distance between the two means, and p and q are the shares of their elements (Pébay, 2008):
//
//     m2 = a2 + b2 + d² na q
//     m3 = a3 + b3 + d³ na q (p - q)            + 3 d (p b2 - q a2)
//     m4 = a4 + b4 + d⁴ na q (p² - p q + q²)    + 6 d² (p² b2 + q² a2)    + 4 d (p b3 - q a3)
//
// All sums are those of distances in a unit (running_mean.wgsl), so results do not depend on the scale of the elements. A merge takes the larger unit
// of both parts, in which a sum of the other part may vanish only if it is too small to count.
#import operators/shared/real
#import operators/shared/running_mean

struct Acc {
    mean: Real,
    low: Real,
    m2: Real,
    m3: Real,
    m4: Real,
    n: u32,
    unit: u32,
}

fn mean_of(acc: Acc) -> Bits { return bitcast<Bits>(acc.mean) | Bits(acc.unit); }

fn map(elem: Elem, index: u32) -> Acc {
    let x = Real(elem) * Real(0.5);
    let mean = short_of(upper_half(x));
    return Acc(mean, x - mean, Real(0), Real(0), Real(0), 1u, exponent_of(x));
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let four = centred(vec4<Real>(v) * Real(0.5), vec4<Real>());
    let s = four.around * four.around;
    let mean = short_of(four.mean);
    return Acc(mean, four.low, sum_of(s), sum_of(s * four.around), sum_of(s * s), 4u, unit_of(four.mean));
}

fn identity() -> Acc { return Acc(Real(0), Real(0), Real(0), Real(0), Real(0), 0u, 0u); }

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let all = max(Real(n), Real(1));
    let p = Real(a.n) / all;
    let q = Real(b.n) / all;
    let both = merged(mean_of(a), a.low, mean_of(b), b.low, q);
    let d = both.d;
    let square_a = both.ratio_a * both.ratio_a;
    let square_b = both.ratio_b * both.ratio_b;
    let a2 = a.m2 * square_a;
    let b2 = b.m2 * square_b;
    let a3 = a.m3 * square_a * both.ratio_a;
    let b3 = b.m3 * square_b * both.ratio_b;
    let between = d * d * (Real(a.n) * q);
    let m3 = d * (between * (p - q) + Real(3) * (p * b2 - q * a2));
    let quarter = d * (between * (p * p - p * q + q * q) + Real(6) * (p * p * b2 + q * q * a2));
    let m4 = d * (quarter + Real(4) * (p * b3 - q * a3));
    return Acc(
        short_of(both.mean),
        both.low,
        (a2 + b2) + between,
        (a3 + b3) + m3,
        (a.m4 * square_a * square_a + b.m4 * square_b * square_b) + m4,
        n,
        unit_of(both.mean),
    );
}
