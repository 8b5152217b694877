// Squares of differences between 64-bit floats, by the rules of squares.wgsl.
//
// The device needs 64-bit floats, and 64-bit integers, which make a float of two words.
#import exact/formats/*
#import exact/elements/*

fn without_subnormal(x: Floats) -> Floats {
    let none = vec2<u32>(0u);
    let is_normal = (x.high & vec2<u32>(0x7ff00000u)) != none;
    return Floats(select(none, x.low, is_normal), select(none, x.high, is_normal));
}

fn values_of(x: Floats) -> vec2<f64> {
    let normal = without_subnormal(x);
    return bitcast<vec2<f64>>((vec2<u64>(normal.high) << vec2<u32>(32u)) | vec2<u64>(normal.low));
}

fn bits_of(x: vec2<f64>) -> Floats {
    let bits = bitcast<vec2<u64>>(x);
    let high = vec2<u32>(bits >> vec2<u32>(32u));
    return without_subnormal(Floats(vec2<u32>(bits & vec2<u64>(0xfffffffflu)), high));
}

// Magnitudes in the order of their higher words, NaNs above infinities.
fn rank(x: Floats) -> vec2<u32> { return (x.high << vec2<u32>(1u)) | min(x.low, vec2<u32>(1u)); }

fn numbers(a: Floats, b: Floats, which: Lanes) -> Numbers {
    let change = values_of(bits_of(values_of(a) - values_of(b)));
    let square = bits_of(change * change);
    let top = max(rank(a), rank(b));
    let infinity = vec2<u32>(0xffe00000u);
    let is_nan = (top > infinity) | ((top == infinity) & (a.high == b.high));
    let odd = select(vec2<u32>(0x7ff00000u), vec2<u32>(0x7ff80000u), is_nan);
    let is_odd = top >= infinity;
    return Floats(select(square.low, vec2<u32>(0u), is_odd), select(square.high, odd, is_odd));
}
