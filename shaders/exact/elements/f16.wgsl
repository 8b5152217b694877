// 16-bit floats, two to a word, widened to the bits of 32-bit floats: the device needs no 16-bit floats.
#import shared/exact/vectors

alias Floats = vec4<u32>;
const PER_VECTOR: u32 = 8u;
const BATCHES: u32 = 2u;

// The indices of the words of element `p`.
fn words_of(p: u32) -> vec2<u32> { return vec2<u32>(p >> 1u); }

// One element, and zeros of this sign.
fn among_zeros(words: vec2<u32>, p: u32, sign: u32) -> vec4<u32> { return vec4<u32>(half_of(words, p) | (sign << 31u), zeros(sign).yzw); }

// The bits of element `p`, of its words.
fn half_of(words: vec2<u32>, p: u32) -> u32 { return (words.x >> ((p & 1u) << 4u)) & 0xffffu; }

// The bits of elements `p` and `q`, the first in the lower half.
fn two_of(input_number: u32, p: u32, q: u32) -> u32 { return half_of(words_at(input_number, p), p) | (half_of(words_at(input_number, q), q) << 16u); }

// A vector of elements that are `step` apart.
fn gathered(input_number: u32, p: u32, step: u32) -> vec4<u32> {
    return vec4<u32>(
        #for i in 0..4: two_of(input_number, p + $(2 * i)u * step, p + $(2 * i + 1)u * step),
    );
}

fn zeros(sign: u32) -> vec4<u32> { return vec4<u32>((sign << 31u) | (sign << 15u)); }

// The floats in the lower halves of words, or in the upper ones.
fn floats(v: vec4<u32>, half: u32) -> Floats { return widened(select(v << vec4<u32>(16u), v, half == 1u)); }

// Four floats, each in the upper half of its word; the lower half may hold another one.
fn widened(t: vec4<u32>) -> vec4<u32> {
    // From 1 to 30 in the exponent's field.
    let is_odd = ((t << vec4<u32>(1u)) - vec4<u32>(1u << 27u)) >= vec4<u32>(30u << 27u);
    if any(is_odd) {
        return widened_with_care(t >> vec4<u32>(16u));
    }
    // A signed shift puts exponent and fraction where a 32-bit float has them, and leaves the sign.
    let shifted = bitcast<vec4<u32>>(bitcast<vec4<i32>>(t) >> vec4<u32>(3u));
    return (shifted & vec4<u32>(0x8fffe000u)) + vec4<u32>(112u << 23u);
}

// The same of any floats. A subnormal one is a small integer times 2^-24, and normal as a 32-bit float.
fn widened_with_care(halves: vec4<u32>) -> vec4<u32> {
    let rest = halves & vec4<u32>(0x7fffu);
    let is_special = rest >= vec4<u32>(0x7c00u);
    let usual = (rest << vec4<u32>(13u)) + select(vec4<u32>(112u << 23u), vec4<u32>(224u << 23u), is_special);
    let small = bitcast<vec4<u32>>(vec4<f32>(rest) * 0x1p-24f);
    let magnitude = select(usual, small, rest < vec4<u32>(0x400u));
    return magnitude | ((halves & vec4<u32>(0x8000u)) << vec4<u32>(16u));
}
