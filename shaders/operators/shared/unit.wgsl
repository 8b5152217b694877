// Powers of two in which distances are measured before they are multiplied: the third and fourth powers of a distance of 10^-12 lie far
// below the smallest float of 32 bits, those of 10^12 far above the largest, but a distance divided by a power of two near it is near 1.
// A unit is a power of two near the largest element so far: no distance is much larger, and those that are not 0 are larger than the last
// place of an element, whose fourth power in the unit is a normal float. It is kept as the exponent of a float, as it lies in its bits.
//
// Elements are halved first: the distance of two of them may be twice the largest float.
#import real

// The largest exponent of a unit, and the sum of those of a unit and of its inverse: both are normal floats.
#ifdef bits_64
const BELOW_QUARTER: Real = 0x1.fffffffffffffp-3lf;
const FRACTION: u32 = 52u;
const LARGEST_UNIT: u32 = 2045u;
const BOTH: u32 = 2046u;
#else
const BELOW_QUARTER: Real = 0x1.fffffep-3f;
const FRACTION: u32 = 23u;
const LARGEST_UNIT: u32 = 253u;
const BOTH: u32 = 254u;
#endif

// The odd exponent of a power of two near a distance: none is 0, which states without elements have.
fn exponent_of(distance: Real) -> u32 {
    return min(u32((bitcast<Bits>(distance) & INFINITE) >> FRACTION), LARGEST_UNIT) | 1u;
}

// The power of two of elements before they are halved.
fn whole_power_of(exponent: u32) -> Real {
    return power_of(exponent + 1u);
}

fn power_of(exponent: u32) -> Real {
    return bitcast<Real>(Bits(exponent) << FRACTION);
}

// What a number in a unit is multiplied with instead of divided by it. Of no elements it is some power.
fn inverse_of(exponent: u32) -> Real {
    return power_of(BOTH - exponent);
}

fn largest_of(v: vec4<Real>) -> Real {
    let sizes = abs(v);
    return max(max(sizes.x, sizes.y), max(sizes.z, sizes.w));
}

fn sum_of(v: vec4<Real>) -> Real {
    return (v.x + v.y) + (v.z + v.w);
}

// The mean of four numbers, but for its last bit. Mesa rewrites x * 0.25 + y * 0.25 as (x + y) * 0.25, which may overflow; two different
// factors, a quarter and the float below it, prevent that.
fn near_mean_of(v: vec4<Real>) -> Real {
    return (v.x * Real(0.25) + v.y * BELOW_QUARTER) + (v.z * Real(0.25) + v.w * BELOW_QUARTER);
}
