// 32-bit floats, as their bits: a vector of words holds four.
#import shared/exact/vectors

alias Floats = vec4<u32>;
const PER_VECTOR: u32 = 4u;
// Batches of numbers in four vectors.
const BATCHES: u32 = 1u;

fn words_of(p: u32) -> vec2<u32> { return vec2<u32>(p); }
fn among_zeros(words: vec2<u32>, p: u32, sign: u32) -> vec4<u32> { return vec4<u32>(words.x, vec3<u32>(sign << 31u)); }
fn zeros(sign: u32) -> vec4<u32> { return vec4<u32>(sign << 31u); }
fn floats(v: vec4<u32>, half: u32) -> Floats { return v; }

// A vector of elements that are `step` apart.
fn gathered(input_number: u32, p: u32, step: u32) -> vec4<u32> {
    return vec4<u32>(
        #for i in 0..4: words_at(input_number, p + $(i)u * step).x,
    );
}
