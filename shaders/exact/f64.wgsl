// 64-bit floats. A vector holds two. The device needs neither 64-bit floats nor 64-bit integers.
#import doubles

const PER_VECTOR: u32 = 2u;
const NOTHING: u32 = 0x80000000u;

// Eight elements.
fn add_batch(acc: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    let a_low = vec4<u32>(v0.x, v0.z, v1.x, v1.z);
    let a_high = vec4<u32>(v0.y, v0.w, v1.y, v1.w);
    let b_low = vec4<u32>(v2.x, v2.z, v3.x, v3.z);
    let b_high = vec4<u32>(v2.y, v2.w, v3.y, v3.w);
    return add_numbers(acc, a_low, a_high, b_low, b_high);
}

fn element(p: u32) -> vec2<u32> {
    return vec2<u32>(input[2u * p], input[2u * p + 1u]);
}

fn among_nothing(item: vec2<u32>) -> vec4<u32> {
    return vec4<u32>(item, 0u, NOTHING);
}

fn nothing() -> vec4<u32> {
    return vec4<u32>(0u, NOTHING, 0u, NOTHING);
}

fn largest_exponent(v: vec4<u32>) -> u32 {
    return max(exponent_of(v.y), exponent_of(v.w));
}
