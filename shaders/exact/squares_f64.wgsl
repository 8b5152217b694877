// Squares of differences between 64-bit floats, as squares.wgsl has them between 32-bit ones: a difference and a square
// are one operation each, subnormal numbers count as zero, and bits decide about infinities and NaNs.
//
// Here the device needs 64-bit floats, as for the steps of such a grid, and 64-bit integers, which make a float of two words.
#import doubles
#import factors

const PER_VECTOR: u32 = 2u;

// Four floats by their lower and their higher words.
struct Four {
    low: vec4<u32>,
    high: vec4<u32>,
}

fn without_subnormal(x: Four) -> Four {
    let none = vec4<u32>(0u);
    let is_normal = (x.high & vec4<u32>(0x7ff00000u)) != none;
    return Four(select(none, x.low, is_normal), select(none, x.high, is_normal));
}

fn numbers(x: Four) -> vec4<f64> {
    let normal = without_subnormal(x);
    return bitcast<vec4<f64>>((vec4<u64>(normal.high) << vec4<u32>(32u)) | vec4<u64>(normal.low));
}

fn words_of(x: vec4<f64>) -> Four {
    let bits = bitcast<vec4<u64>>(x);
    let high = vec4<u32>(bits >> vec4<u32>(32u));
    return without_subnormal(Four(vec4<u32>(bits & vec4<u64>(0xfffffffflu)), high));
}

// Magnitudes in the order of their higher words, NaNs above infinities.
fn rank(x: Four) -> vec4<u32> {
    return (x.high << vec4<u32>(1u)) | min(x.low, vec4<u32>(1u));
}

// The squares of four differences.
fn squares(a: Four, b: Four) -> Four {
    let change = numbers(words_of(numbers(a) - numbers(b)));
    let square = words_of(change * change);
    let top = max(rank(a), rank(b));
    let infinity = vec4<u32>(0xffe00000u);
    let is_nan = (top > infinity) | ((top == infinity) & (a.high == b.high));
    let odd = select(vec4<u32>(0x7ff00000u), vec4<u32>(0x7ff80000u), is_nan);
    let is_odd = top >= infinity;
    return Four(select(square.low, vec4<u32>(0u), is_odd), select(square.high, odd, is_odd));
}

// The squares of the differences between two vectors and two others.
fn squares_of(f: Factors, g: Factors) -> Four {
    let first = Four(vec4<u32>(f.v.xz, g.v.xz), vec4<u32>(f.v.yw, g.v.yw));
    return squares(first, Four(vec4<u32>(f.w.xz, g.w.xz), vec4<u32>(f.w.yw, g.w.yw)));
}

// Eight pairs.
fn add_batch(acc: Acc, f0: Factors, f1: Factors, f2: Factors, f3: Factors) -> Acc {
    let a = squares_of(f0, f1);
    let b = squares_of(f2, f3);
    return add_numbers(acc, a.low, a.high, b.low, b.high);
}

// Both elements of pair `p`. Both arrays start at the same offset, as grids of a stencil do.
fn element(p: u32) -> vec4<u32> {
    return vec4<u32>(input[2u * p], input[2u * p + 1u], second[2u * p], second[2u * p + 1u]);
}

// One pair among equal ones, whose square is zero.
fn among_nothing(item: vec4<u32>) -> Factors {
    return Factors(vec4<u32>(item.xy, 0u, 0u), vec4<u32>(item.zw, 0u, 0u));
}

fn nothing() -> Factors {
    return Factors(vec4<u32>(0u), vec4<u32>(0u));
}

fn largest_exponent(f: Factors) -> u32 {
    let high = squares_of(f, nothing()).high;
    return max(exponent_of(high.x), exponent_of(high.y));
}
