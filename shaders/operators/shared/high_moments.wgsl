// Count, mean, and the sums of the second, third and fourth powers of distances from the mean, in one pass.
//
// Sums of plain powers lose all digits where the mean is large. As in float_moments.wgsl the powers are taken around the mean of the
// elements so far, here a sum of two floats (co_moments.wgsl), and a merge moves both parts to the common mean. If d is the distance between
// the two means, and p and q are the shares of their elements (Pébay, 2008):
//
//     m2 = a2 + b2 + d² na q
//     m3 = a3 + b3 + d³ na q (p - q)            + 3 d (p b2 - q a2)
//     m4 = a4 + b4 + d⁴ na q (p² - p q + q²)    + 6 d² (p² b2 + q² a2)    + 4 d (p b3 - q a3)
//
// In 32 bits fourth powers fit as long as distances stay below 10^9 or so, and above 10^-9.
#import real
#import short

struct Acc {
    mean: Real,
    low: Real,
    m2: Real,
    m3: Real,
    m4: Real,
    n: u32,
}

// The upper half of the significand.
fn short_of(x: Real) -> Real {
    return bitcast<Real>(bitcast<Bits>(x) & SHORT);
}

fn sum_of(v: vec4<Real>) -> Real {
    return (v.x + v.y) + (v.z + v.w);
}

fn map(elem: Elem, index: u32) -> Acc {
    let mean = short_of(Real(elem));
    return Acc(mean, Real(elem) - mean, Real(0), Real(0), Real(0), 1u);
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let x = vec4<Real>(v);
    let mean = short_of(sum_of(x * Real(0.25)));
    let d = x - vec4<Real>(mean);
    let low = sum_of(d) * Real(0.25);
    let around = d - vec4<Real>(low);
    let s = around * around;
    return Acc(mean, low, sum_of(s), sum_of(s * around), sum_of(s * s), 4u);
}

fn identity() -> Acc {
    return Acc(Real(0), Real(0), Real(0), Real(0), Real(0), 0u);
}

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let all = max(Real(n), Real(1));
    let p = Real(a.n) / all;
    let q = Real(b.n) / all;
    let high = b.mean - a.mean;
    let rest = b.low - a.low;
    let step = high * q;
    let mean = short_of(a.mean + step);
    let d = high + rest;
    let between = d * d * (Real(a.n) * q);
    let m3 = d * (between * (p - q) + Real(3) * (p * b.m2 - q * a.m2));
    let quarter = d * (between * (p * p - p * q + q * q) + Real(6) * (p * p * b.m2 + q * q * a.m2));
    let m4 = d * (quarter + Real(4) * (p * b.m3 - q * a.m3));
    return Acc(
        mean,
        ((a.mean - mean) + step) + (a.low + rest * q),
        (a.m2 + b.m2) + between,
        (a.m3 + b.m3) + m3,
        (a.m4 + b.m4) + m4,
        n,
    );
}
