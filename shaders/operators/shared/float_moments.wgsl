// Count, mean and sum of squared distances from the mean, in one sweep, of floats and 64-bit integers. Variance and standard
// deviation are finished from these.
//
// The mean of squares minus the square of the mean would subtract two large numbers: at a mean of 1000 and a deviation of 1 all digits of a
// 32-bit float are lost. Here squares are kept around the mean of the elements so far, and two parts are merged (Chan, Golub and LeVeque, 1979):
//
//     n = na + nb     d = mean_b - mean_a     mean = mean_a + d nb / n     m2 = m2_a + m2_b + d² na nb / n
//
// Only positive terms are added, so nothing cancels. But at a mean of 10^5 a 32-bit float is off by 1/256. So the mean is the sum of two
// floats, a short one and the rest. Of two near means the difference of the short ones is exact:
//
//     mean   99999999999872         (40 bits of 64, so a multiple of 128)
//     low               128.0290178...
//     d = (b.mean - a.mean) + (b.low - a.low)
//
// The usual split, s = a + b and b - (s - a), fails with compilers that take (a + b) - a for b, as Mesa's does. Here the short float is made
// by clearing bits. Squares are those of distances in a unit (running_mean.wgsl), which lies in these bits.
//
// An integer of 64 bits is the sum of two floats: its upper half times 2^32, and its lower half. The divisor of n = 0 is one.
#import operators/shared/real
#import operators/shared/running_mean

struct Acc {
    n: Real,
    mean: Bits,
    low: Real,
    m2: Real,
}

#ifdef float
fn upper(elem: Elem) -> Real { return Real(elem) * Real(0.5); }
fn lower(elem: Elem) -> Real { return Real(0); }
#else
// Halves are converted. Their bits behind a large constant, 2^51 + x/2, are floats too, but on an H200 a variance from these was slower and off
// by 2^-35: a compiler may add up the constants of two such sums first.
#ifdef signed
alias Upper = i32;
#else
alias Upper = u32;
#endif

fn upper(elem: Elem) -> Real { return Real(Upper(elem >> 32u)) * 0x1p+31lf; }
fn lower(elem: Elem) -> Real { return Real(u32(bitcast<Bits>(elem) & 0xfffffffflu)) * Real(0.5); }
#endif

fn map(elem: Elem, index: u32) -> Acc {
    let x = upper(elem) + lower(elem);
    let mean = upper_half(x);
    return Acc(Real(1), mean | Bits(exponent_of(x)), (upper(elem) - short_of(mean)) + lower(elem), Real(0));
}

fn map4(v: vec4<Elem>, index: u32) -> Acc {
    let high = vec4<Real>(upper(v.x), upper(v.y), upper(v.z), upper(v.w));
    let rest = vec4<Real>(lower(v.x), lower(v.y), lower(v.z), lower(v.w));
    let four = centred(high, rest);
    return Acc(Real(4), four.mean, four.low, sum_of(four.around * four.around));
}

fn identity() -> Acc { return Acc(Real(0), Bits(0), Real(0), Real(0)); }

fn combine(a: Acc, b: Acc) -> Acc {
    let n = a.n + b.n;
    let share = b.n / max(n, Real(1));
    let both = merged(a.mean, a.low, b.mean, b.low, share);
    let parts = a.m2 * both.ratio_a * both.ratio_a + b.m2 * both.ratio_b * both.ratio_b;
    return Acc(n, both.mean, both.low, parts + both.d * (both.d * (a.n * share)));
}

// The mean square around the mean of n elements, divided by n - `less`: in the unit of elements before they were halved. An infinity leaves no
// rest of a mean.
fn mean_square(acc: Acc, n: u32, less: u32) -> Real {
    if n <= less || is_undefined(acc.low) {
        return not_a_number(n);
    }
    let unit = power_of(unit_of(acc.mean) + 1u);
    return acc.m2 / Real(n - less) * unit * unit;
}

fn root_mean_square(acc: Acc, n: u32, less: u32) -> Real {
    if n <= less || is_undefined(acc.low) {
        return not_a_number(n);
    }
    return root(acc.m2 / Real(n - less)) * power_of(unit_of(acc.mean) + 1u);
}
