// Count, mean and sum of squared distances from the mean, of elements of 64 bits. See float_moments.wgsl for the method.
//
// There each merge rounds the mean by a unit in its last place, and squares are taken around that slightly wrong mean. At a mean of 1e14 and
// a deviation of 3 a unit of a 64-bit float is 1/64, and the variance would be wrong in its fifth digit. So the mean is kept as the sum of
// two floats, a short one and the rest. Of two means near each other the difference of the short ones is exact, and that of the
// rests has digits far behind the point:
//
//     mean   99999999999872         (40 bits, so a multiple of 128)
//     low               128.0290178...
//     d = (b.mean - a.mean) + (b.low - a.low)
//
// So the variance is as good as if the elements lay around zero. The usual way to part a sum in two, s = a + b and b - (s - a), is
// not for compilers that take (a + b) - a for b, as Mesa's does. Here the short float is made by clearing bits, which they see nothing in. A merge
// costs three additions more, two selections and the clearing, and the accumulator has one float more.
//
// An integer of 64 bits is the sum of two floats exactly: its upper half times 2^32, and its lower half.
#import real

struct Acc {
    n: Real,
    mean: Real,
    low: Real,
    m2: Real,
}

// The upper 40 bits of the significand.
fn short_of(x: Real) -> Real {
    return bitcast<Real>(bitcast<Bits>(x) & 0xffffffffffffe000lu);
}

#ifdef float
fn upper(v: vec4<Elem>) -> vec4<Real> {
    return v;
}

fn lower(v: vec4<Elem>) -> vec4<Real> {
    return vec4<Real>();
}
#else
fn upper(v: vec4<Elem>) -> vec4<Real> {
    return vec4<Real>(v >> vec4<u32>(32u)) * Real(4294967296.0);
}

fn lower(v: vec4<Elem>) -> vec4<Real> {
    return vec4<Real>(v & vec4<Elem>(Elem(0xffffffffu)));
}
#endif

// Elements around a point near them: their mean, and the squares around it.
fn map(elem: Elem, index: u32) -> Acc {
    let v = vec4<Elem>(elem);
    let mean = short_of(upper(v).x + lower(v).x);
    return Acc(Real(1), mean, (upper(v).x - mean) + lower(v).x, Real(0));
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    // Divided by four before they are added: four large elements do not overflow.
    let q = (upper(v) + lower(v)) * Real(0.25);
    let mean = short_of((q.x + q.y) + (q.z + q.w));
    let d = (upper(v) - vec4<Real>(mean)) + lower(v);
    let low = ((d.x + d.y) + (d.z + d.w)) * Real(0.25);
    let around = d - vec4<Real>(low);
    let s = around * around;
    return Acc(Real(4), mean, low, (s.x + s.y) + (s.z + s.w));
}

fn identity() -> Acc {
    return Acc(Real(0), Real(0), Real(0), Real(0));
}

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let d = (b.mean - a.mean) + (b.low - a.low);
    let step = d * (b.n / max(n, Real(1)));
    let rest = a.low + step;
    let mean = short_of(a.mean + rest);
    // Nothing and a part are that part: one float would not hold both of its floats.
    let is_first = a.n == Real(0);
    return Acc(
        n,
        select(mean, b.mean, is_first),
        select((a.mean - mean) + rest, b.low, is_first),
        (a.m2 + b.m2) + d * (a.n * step),
    );
}

// The sum of squares around the mean.
fn squares(acc: Acc, n: u32) -> Real {
    return acc.m2;
}
