// Squares of the differences between two arrays: how far a step of a stencil changed a grid, in the L2 norm.
//
// The sum of squares has the same bits on every GPU. Each difference and each square is one operation on 32-bit floats, correctly rounded
// by WGSL, and rounded squares are summed exactly. Rounding changes a square by at most 2^-24 of itself; exact squares, as the dot product
// has them, would take twice the arithmetic.
//
// A GPU may flush subnormal numbers, so they count as zero: as elements, differences and squares. A compiler may assume that there is no
// infinity and no NaN, so bits decide: the difference from an infinity is infinite, that between two equal infinities NaN.
#import exact/formats/*
#import exact/elements/*

// Bits of floats, those of subnormal ones replaced by zero.
fn without_subnormal(bits: vec4<u32>) -> vec4<u32> { return select(vec4<u32>(0u), bits, (bits & vec4<u32>(0x7f800000u)) != vec4<u32>(0u)); }

fn numbers(v: Floats, w: Floats, which: Lanes) -> Numbers {
    let first = bitcast<vec4<f32>>(without_subnormal(v));
    let difference = first - bitcast<vec4<f32>>(without_subnormal(w));
    let change = bitcast<vec4<f32>>(without_subnormal(bitcast<vec4<u32>>(difference)));
    let square = without_subnormal(bitcast<vec4<u32>>(change * change));
    let top = max(v << vec4<u32>(1u), w << vec4<u32>(1u));
    let infinity = vec4<u32>(0xff000000u);
    let is_nan = (top > infinity) | ((top == infinity) & (v == w));
    let odd = select(vec4<u32>(0x7f800000u), vec4<u32>(0x7fc00000u), is_nan);
    return select(square, odd, top >= infinity);
}
