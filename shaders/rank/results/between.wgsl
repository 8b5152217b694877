// A result between two elements, as a 32-bit float.
#import keys

#ifdef float
const INFINITE: u32 = 0x7f800000u;

fn is_infinite(word: u32) -> bool {
    return (word & 0x7fffffffu) == INFINITE;
}

// Infinities are told by their bits: what a compiler makes of an infinite distance is not sure. A result is infinite if one end is.
fn result(key: Key, next: Key, way: f32, has_nan: bool) -> u32 {
    let low = word_of(key);
    let high = word_of(next);
    if has_nan | (is_infinite(low) & is_infinite(high) & (key != next)) {
        return missing();
    }
    if is_infinite(low) | (key == next) | (way == 0.0) {
        return low;
    }
    if is_infinite(high) {
        return high;
    }
    let ends = vec2(bitcast<f32>(low), bitcast<f32>(high));
    let distance = ends.y - ends.x;
    if is_infinite(bitcast<u32>(distance)) {
        return bitcast<u32>(ends.x * (1.0 - way) + ends.y * way);
    }
    return between(ends, distance, way);
}
#else
// The distance is exact: keys of integers are as far apart as the integers.
fn result(key: Key, next: Key, way: f32, has_nan: bool) -> u32 {
    let words = vec2(word_of(key), word_of(next));
#ifdef signed
    return between(vec2<f32>(bitcast<vec2<i32>>(words)), f32(next - key), way);
#else
    return between(vec2<f32>(words), f32(next - key), way);
#endif
}
#endif

// From the nearer end, as NumPy does it: so the result is never beyond the other one.
fn between(ends: vec2<f32>, distance: f32, way: f32) -> u32 {
    if way < 0.5 {
        return bitcast<u32>(ends.x + distance * way);
    }
    return bitcast<u32>(ends.y - distance * (1.0 - way));
}

// The result if there is no such element.
fn missing() -> u32 {
    return 0x7fc00000u;
}
