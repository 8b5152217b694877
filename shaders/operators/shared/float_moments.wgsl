// Count, mean and sum of squared distances from the mean, in one pass: of floats, and of integers of 64 bits. Variance and standard
// deviation are finished from these.
//
// The textbook's one-pass formula, the mean of squares minus the square of the mean, subtracts two large numbers: at a mean of 1000 and a
// deviation of 1 all digits of a 32-bit float are lost. Two passes read the input twice. This method keeps the squares around the mean of
// the elements so far, and merges two such parts (Chan, Golub and LeVeque, 1979):
//
//     n = na + nb     d = mean_b - mean_a     mean = mean_a + d nb / n     m2 = m2_a + m2_b + d² na nb / n
//
// Only positive terms are added, so nothing cancels. But a mean is off by what its float rounds: at a mean of 10^5 a 32-bit float is off
// by 1/256. So the mean is the sum of two floats, a short one and the rest. Of two near means the difference of the short ones is exact:
//
//     mean   99999999999872         (40 bits of 64, so a multiple of 128)
//     low               128.0290178...
//     d = (b.mean - a.mean) + (b.low - a.low)
//
// The usual way to split a sum, s = a + b and b - (s - a), fails with compilers that take (a + b) - a for b, as Mesa's does. Here the short
// float is made by clearing bits. Squares are those of distances in a unit (unit.wgsl), which lies in these bits.
//
// An integer of 64 bits is the sum of two floats exactly: its upper half times 2^32, and its lower half. Counts are floats because they are
// only factors. n = 0 needs no branch: the divisor is at least one, and nb = 0 makes both terms zero.
#import real
#import short
#import unit

struct Acc {
    n: Real,
    mean: Bits,
    low: Real,
    m2: Real,
}

// The upper half of the significand, as bits and as a float.
fn upper_half(x: Real) -> Bits {
    return bitcast<Bits>(x) & SHORT;
}

fn short_of(mean: Bits) -> Real {
    return bitcast<Real>(mean & SHORT);
}

#ifdef float
fn upper(elem: Elem) -> Real {
    return Real(elem) * Real(0.5);
}

fn lower(elem: Elem) -> Real {
    return Real(0);
}
#else
// Halves are converted. Their bits behind a large constant, 2^51 + x/2, are floats too, but on an H200 a variance from these was slower and off
// by 2^-35: a compiler may add up the constants of two such sums first.
#ifdef signed
alias Upper = i32;
#else
alias Upper = u32;
#endif

fn upper(elem: Elem) -> Real {
    return Real(Upper(elem >> 32u)) * 0x1p+31lf;
}

fn lower(elem: Elem) -> Real {
    return Real(u32(bitcast<Bits>(elem) & 0xfffffffflu)) * Real(0.5);
}
#endif

fn map(elem: Elem, index: u32) -> Acc {
    let x = upper(elem) + lower(elem);
    let mean = upper_half(x);
    return Acc(Real(1), mean | Bits(exponent_of(x)), (upper(elem) - short_of(mean)) + lower(elem), Real(0));
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let high = vec4<Real>(upper(v.x), upper(v.y), upper(v.z), upper(v.w));
    let rest = vec4<Real>(lower(v.x), lower(v.y), lower(v.z), lower(v.w));
    let x = high + rest;
    let mean = upper_half(near_mean_of(x));
    let d = (high - vec4<Real>(short_of(mean))) + rest;
    let low = sum_of(d) * Real(0.25);
    let unit = exponent_of(largest_of(x));
    let around = (d - vec4<Real>(low)) * inverse_of(unit);
    return Acc(Real(4), mean | Bits(unit), low, sum_of(around * around));
}

fn identity() -> Acc {
    return Acc(Real(0), Bits(0), Real(0), Real(0));
}

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let share = b.n / max(n, Real(1));
    // Both floats are moved apart from each other, so nothing and a part are exactly that part.
    let high = short_of(b.mean) - short_of(a.mean);
    let rest = b.low - a.low;
    let step = high * share;
    let mean = upper_half(short_of(a.mean) + step);
    let unit = max(unit_of(a.mean), unit_of(b.mean));
    let inverse = inverse_of(unit);
    let d = (high + rest) * inverse;
    let ratio_a = power_of(unit_of(a.mean)) * inverse;
    let ratio_b = power_of(unit_of(b.mean)) * inverse;
    return Acc(
        n,
        mean | Bits(unit),
        ((short_of(a.mean) - short_of(mean)) + step) + (a.low + rest * share),
        (a.m2 * ratio_a * ratio_a + b.m2 * ratio_b * ratio_b) + d * (d * (a.n * share)),
    );
}

// The mean square around the mean of n elements, divided by n - `less`. An infinity leaves no rest of a mean.
fn mean_square(acc: Acc, n: u32, less: u32) -> Real {
    if n <= less || is_undefined(acc.low) {
        return not_a_number(n);
    }
    let unit = whole_power_of(unit_of(acc.mean));
    return acc.m2 / Real(n - less) * unit * unit;
}

fn root_mean_square(acc: Acc, n: u32, less: u32) -> Real {
    if n <= less || is_undefined(acc.low) {
        return not_a_number(n);
    }
    return root(acc.m2 / Real(n - less)) * whole_power_of(unit_of(acc.mean));
}
