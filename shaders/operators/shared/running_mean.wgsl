// The mean of the elements so far, for moments: a short float, which has the upper bits of a significand, and the rest. The bits that the short
// float leaves hold the unit (unit.wgsl) of distances from the mean. float_moments.wgsl says why.
#import real
#import unit

#ifdef bits_64
const SHORT: Bits = 0xffffffffffffe000lu;
#else
const SHORT: Bits = 0xfffff000u;
#endif

fn unit_of(mean: Bits) -> u32 {
    return u32(mean & ~SHORT);
}

fn short_of(mean: Bits) -> Real {
    return bitcast<Real>(mean & SHORT);
}

// The upper half of the significand, as bits.
fn upper_half(x: Real) -> Bits {
    return bitcast<Bits>(x) & SHORT;
}

// The mean of four elements, and their distances from it in its unit.
struct Centred {
    mean: Bits,
    low: Real,
    around: vec4<Real>,
}

// Elements are the sums of two floats each.
fn centred(high: vec4<Real>, rest: vec4<Real>) -> Centred {
    let x = high + rest;
    let mean = upper_half(near_mean_of(x));
    let d = (high - vec4<Real>(short_of(mean))) + rest;
    let low = sum_of(d) * Real(0.25);
    let unit = exponent_of(largest_of(x));
    return Centred(mean | Bits(unit), low, (d - vec4<Real>(low)) * inverse_of(unit));
}

// The mean of two parts; the distance between their means in its unit; and the units of both parts, in that unit.
struct Merged {
    mean: Bits,
    low: Real,
    d: Real,
    ratio_a: Real,
    ratio_b: Real,
}

// `share` is the second part's share of the elements.
fn merged(mean_a: Bits, low_a: Real, mean_b: Bits, low_b: Real, share: Real) -> Merged {
    // Both floats are moved apart from each other, so nothing and a part are exactly that part.
    let high = short_of(mean_b) - short_of(mean_a);
    let rest = low_b - low_a;
    let step = high * share;
    let mean = upper_half(short_of(mean_a) + step);
    let unit = max(unit_of(mean_a), unit_of(mean_b));
    let inverse = inverse_of(unit);
    return Merged(
        mean | Bits(unit),
        ((short_of(mean_a) - short_of(mean)) + step) + (low_a + rest * share),
        (high + rest) * inverse,
        power_of(unit_of(mean_a)) * inverse,
        power_of(unit_of(mean_b)) * inverse,
    );
}
