// Count, mean and sum of squared distances from the mean, in one pass. Variance and standard deviation are
// finished from these. Elements of 64 bits: double_moments.wgsl.
//
// The textbook's one-pass formula, the mean of squares minus the square of the mean, subtracts two large
// numbers: at a mean of 1000 and a deviation of 1 all digits of a 32-bit float are lost. Two passes read the
// input twice. This method keeps the squares around the mean of the elements so far, and merges two such
// parts (Chan, Golub and LeVeque, 1979):
//
//     n = na + nb     d = mean_b - mean_a     mean = mean_a + d nb / n     m2 = m2_a + m2_b + d² na nb / n
//
// Only positive terms are added, so nothing cancels. Each merge rounds the mean by a unit in its last place. With E = depth · u · |largest
// element|, where u is half a unit of 1, the variance is off by about 2 σ E + E², in addition to the usual error of a sum.
//
// Cost. `map4` takes 13 operations, and the merge eight and one division per four elements. n = 0 needs no branch: the divisor is at least
// one, and nb = 0 makes both terms zero. Counts are floats because they are only factors; the bound above includes their rounding.
//
// An infinity or a NaN anywhere makes m2 NaN, because infinity minus infinity is NaN. NumPy gives the same
// result.
#import real

struct Acc {
    n: Real,
    mean: Real,
    m2: Real,
}

fn map(elem: Elem, index: u32) -> Acc {
    return Acc(Real(1), Real(elem), Real(0));
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let x = vec4<Real>(v);
    // Divided by four before they are added: four large elements do not overflow, and four equal elements
    // give exactly their mean.
    let q = x * Real(0.25);
    let mean = (q.x + q.y) + (q.z + q.w);
    let d = x - vec4<Real>(mean);
    let s = d * d;
    return Acc(Real(4), mean, (s.x + s.y) + (s.z + s.w));
}

fn identity() -> Acc {
    return Acc(Real(0), Real(0), Real(0));
}

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let d = b.mean - a.mean;
    let step = d * (b.n / max(n, Real(1)));
    return Acc(n, a.mean + step, (a.m2 + b.m2) + d * (a.n * step));
}

// The sum of squares around the mean.
fn squares(acc: Acc, n: u32) -> Real {
    return acc.m2;
}
