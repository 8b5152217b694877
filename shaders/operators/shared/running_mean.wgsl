// The mean of the elements so far and the unit of distances from it, for moments.
//
// The mean is the sum of a short float, which has the upper bits of a significand, and the rest: float_moments.wgsl says why. The bits that the
// short float leaves hold the unit, as the exponent of a float.
//
// A unit is a power of two near the largest element so far, in which distances are measured before they are multiplied: the fourth power of a
// distance of 10^-12 lies far below the smallest float of 32 bits, that of 10^12 far above the largest. No distance is much larger than the
// unit, and those that are not 0 are larger than the last place of an element, whose fourth power in the unit is a normal float.
//
// Elements are halved first: the distance of two of them may be twice the largest float.
#import operators/shared/real

// The upper bits of a short float; the largest exponent of a unit, and the sum of those of a unit and of its inverse: both are normal floats.
#ifdef bits_64
const SHORT: Bits = 0xffffffffffffe000lu;
const BELOW_QUARTER: Real = 0x1.fffffffffffffp-3lf;
const FRACTION: u32 = 52u;
const LARGEST_UNIT: u32 = 2045u;
const BOTH: u32 = 2046u;
#else
const SHORT: Bits = 0xfffff000u;
const BELOW_QUARTER: Real = 0x1.fffffep-3f;
const FRACTION: u32 = 23u;
const LARGEST_UNIT: u32 = 253u;
const BOTH: u32 = 254u;
#endif

// The odd exponent of a power of two near a distance: none is 0, which states without elements have.
fn exponent_of(distance: Real) -> u32 { return min(u32((bitcast<Bits>(distance) & INFINITE) >> FRACTION), LARGEST_UNIT) | 1u; }
fn power_of(exponent: u32) -> Real { return bitcast<Real>(Bits(exponent) << FRACTION); }

// What a number in a unit is multiplied with instead of divided by it. Of no elements it is some power.
fn inverse_of(exponent: u32) -> Real { return power_of(BOTH - exponent); }
fn sum_of(v: vec4<Real>) -> Real { return (v.x + v.y) + (v.z + v.w); }
fn unit_of(mean: Bits) -> u32 { return u32(mean & ~SHORT); }
fn short_of(mean: Bits) -> Real { return bitcast<Real>(mean & SHORT); }

// The upper half of the significand, as bits.
fn upper_half(x: Real) -> Bits { return bitcast<Bits>(x) & SHORT; }

// The mean of four elements, and their distances from it in its unit.
struct Centred {
    mean: Bits,
    low: Real,
    around: vec4<Real>,
}

// Elements are the sums of two floats each.
fn centred(high: vec4<Real>, rest: vec4<Real>) -> Centred {
    let x = high + rest;
    // The mean, but for its last bit. Mesa rewrites x * 0.25 + y * 0.25 as (x + y) * 0.25, which may overflow; two different factors, a quarter
    // and the float below it, prevent that.
    let mean = upper_half((x.x * Real(0.25) + x.y * BELOW_QUARTER) + (x.z * Real(0.25) + x.w * BELOW_QUARTER));
    let d = (high - vec4<Real>(short_of(mean))) + rest;
    let low = sum_of(d) * Real(0.25);
    let sizes = abs(x);
    let unit = exponent_of(max(max(sizes.x, sizes.y), max(sizes.z, sizes.w)));
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
