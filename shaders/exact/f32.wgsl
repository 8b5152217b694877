// 32-bit floats, as their bits. A vector holds four.
#import one_word

const PER_VECTOR: u32 = 4u;
// Elements that add nothing.
const NOTHING: u32 = 0x80000000u;

fn add_batch(acc: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    return add_numbers(acc, v0, v1, v2, v3);
}

// The words of element `p`.
fn element(p: u32) -> vec2<u32> {
    return vec2<u32>(input[p], 0u);
}

// One element among nothing.
fn among_nothing(item: vec2<u32>) -> vec4<u32> {
    return vec4<u32>(item.x, NOTHING, NOTHING, NOTHING);
}

fn nothing() -> vec4<u32> {
    return vec4<u32>(NOTHING);
}

fn largest_exponent(v: vec4<u32>) -> u32 {
    return largest_exponent_of(v);
}
