// Count, mean and sum of squared distances from the mean, of elements of 64 bits. See float_moments.wgsl for the method.
//
// At a mean of 1e14 and a deviation of 3 a unit of a 64-bit float is 1/64, and the variance would be wrong in its fifth digit. So the mean is
// the sum of two floats, a short one and the rest. Of two near means the difference of the short ones is exact:
//
//     mean   99999999999872         (40 bits, so a multiple of 128)
//     low               128.0290178...
//     d = (b.mean - a.mean) + (b.low - a.low)
//
// The usual way to split a sum, s = a + b and b - (s - a), fails with compilers that take (a + b) - a for b, as Mesa's does. Here the short
// float is made by clearing bits. A merge costs five additions and two products more than that of float_moments.wgsl.
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
fn upper(elem: Elem) -> Real {
    return elem;
}

fn lower(elem: Elem) -> Real {
    return Real(0);
}
#else
// Halves become floats by their bits, which takes an addition each and no conversion: those of 2^52 + x and of 2^84 + 2^32 x are x behind a
// constant. The sign of an integer is moved out of the way first.
#ifdef signed
const ABOVE: Bits = 0x8000000000000000lu;
const OFFSET: Real = 0x1.000008p+84lf;
#else
const ABOVE: Bits = 0lu;
const OFFSET: Real = 0x1p+84lf;
#endif

fn upper(elem: Elem) -> Real {
    return bitcast<Real>(((bitcast<Bits>(elem) ^ ABOVE) >> 32u) | 0x4530000000000000lu) - OFFSET;
}

fn lower(elem: Elem) -> Real {
    return bitcast<Real>((bitcast<Bits>(elem) & 0xfffffffflu) | 0x4330000000000000lu) - 0x1p+52lf;
}
#endif

// Elements around a point near them: their mean, and the squares around it.
fn map(elem: Elem, index: u32) -> Acc {
    let mean = short_of(upper(elem) + lower(elem));
    return Acc(Real(1), mean, (upper(elem) - mean) + lower(elem), Real(0));
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let high = vec4<Real>(upper(v.x), upper(v.y), upper(v.z), upper(v.w));
    let rest = vec4<Real>(lower(v.x), lower(v.y), lower(v.z), lower(v.w));
    // Divided by four before they are added: four large elements do not overflow.
    let q = (high + rest) * Real(0.25);
    let mean = short_of((q.x + q.y) + (q.z + q.w));
    let d = (high - vec4<Real>(mean)) + rest;
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
    let share = b.n / max(n, Real(1));
    // Both floats are moved apart from each other, so nothing and a part are exactly that part.
    let high = b.mean - a.mean;
    let rest = b.low - a.low;
    let step = high * share;
    let mean = short_of(a.mean + step);
    let d = high + rest;
    return Acc(n, mean, ((a.mean - mean) + step) + (a.low + rest * share), (a.m2 + b.m2) + d * (d * (a.n * share)));
}

// The sum of squares around the mean.
fn squares(acc: Acc, n: u32) -> Real {
    return acc.m2;
}
