// 16-bit floats, two to a word. Each is converted to the bits of a 32-bit float by integer operations, so the device needs no
// 16-bit floats.
#import one_word

const PER_VECTOR: u32 = 8u;
const NOTHING: u32 = 0x8000u;

// In the lower half of a word.
fn widen(half: u32) -> u32 {
    let sign = (half & 0x8000u) << 16u;
    let exponent = (half >> 10u) & 31u;
    let fraction = half & 0x3ffu;
    if exponent == 0u {
        if fraction == 0u {
            return sign;
        }
        // Subnormal here is normal there.
        let top = firstLeadingBit(fraction);
        return sign | ((top + 103u) << 23u) | ((fraction << (23u - top)) & 0x7fffffu);
    }
    return sign | (select(exponent + 112u, 255u, exponent == 31u) << 23u) | (fraction << 13u);
}

// Four at once, if all are normal, otherwise one by one. Each is in the upper half of its word, and the lower half may hold
// another number.
fn widen4(t: vec4<u32>) -> vec4<u32> {
    // From 1 to 30 in the exponent's field.
    let odd = ((t << vec4<u32>(1u)) - vec4<u32>(1u << 27u)) >= vec4<u32>(30u << 27u);
    if any(odd) {
        let halves = t >> vec4<u32>(16u);
        return vec4<u32>(widen(halves.x), widen(halves.y), widen(halves.z), widen(halves.w));
    }
    // A signed shift puts exponent and fraction where a 32-bit float has them, and leaves the sign.
    let placed = bitcast<vec4<u32>>(bitcast<vec4<i32>>(t) >> vec4<u32>(3u));
    return (placed & vec4<u32>(0x8fffe000u)) + vec4<u32>(112u << 23u);
}

fn lower(v: vec4<u32>) -> vec4<u32> {
    return widen4(v << vec4<u32>(16u));
}

fn upper(v: vec4<u32>) -> vec4<u32> {
    return widen4(v);
}

// Thirty-two numbers, in two batches of sixteen.
fn add_batch(acc: Acc, v0: vec4<u32>, v1: vec4<u32>, v2: vec4<u32>, v3: vec4<u32>) -> Acc {
    let first = add_numbers(acc, lower(v0), upper(v0), lower(v1), upper(v1));
    return add_numbers(first, lower(v2), upper(v2), lower(v3), upper(v3));
}

fn element(p: u32) -> vec2<u32> {
    return vec2<u32>((input[p >> 1u] >> ((p & 1u) << 4u)) & 0xffffu, 0u);
}

fn among_nothing(item: vec2<u32>) -> vec4<u32> {
    let pair = NOTHING | (NOTHING << 16u);
    return vec4<u32>(item.x | (NOTHING << 16u), pair, pair, pair);
}

fn nothing() -> vec4<u32> {
    return vec4<u32>(NOTHING | (NOTHING << 16u));
}

fn largest_exponent(v: vec4<u32>) -> u32 {
    return max(largest_exponent_of(lower(v)), largest_exponent_of(upper(v)));
}
