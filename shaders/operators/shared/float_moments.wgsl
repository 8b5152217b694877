// Count, mean and sum of squares around the mean, in one pass: what variance and standard deviation are finished from.
//
// The textbook's one pass, mean of squares less square of mean, subtracts two large numbers: at a mean of 1000 and a
// deviation of 1 all digits of a 32-bit float are gone. Two passes read the input twice. This one keeps squares around the
// mean of whatever has been seen, and merges two such parts (Chan, Golub and LeVeque, 1979):
//
//     n = na + nb     d = mean_b - mean_a     mean = mean_a + d nb / n     m2 = m2_a + m2_b + d² na nb / n
//
// Only positive terms are added, so nothing cancels. What remains: each merge rounds the mean by a unit of its last place,
// and squares are taken around that slightly wrong mean. With E = (merges on the way) · u · |largest element|, u half a unit
// of 1, the variance is off by about 2 σ E + E² besides the sum's usual share: E grows with the offset, not its square.
//
// Cost. `map4` takes the mean of four directly, squares around it, and needs no division: 13 operations. The merge is eight
// more and one division for four elements. n = 0 needs no branch: the divisor is at least one, and nb = 0 then makes both
// terms zero. Counts are floats as they are only factors; beyond 2^24 they round, which is in the bound above.
//
// An infinity or a NaN anywhere makes m2 NaN, as infinity less infinity is: NumPy's answer, too.
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
    // Quartered before they are added: four large elements do not overflow, and four equal ones give exactly their mean.
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

// The squares around the mean, added up.
fn squares(acc: Acc, n: u32) -> Real {
    return acc.m2;
}
