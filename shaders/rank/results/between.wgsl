// A result between two elements, as a 32-bit float.
#import rank/keys/*

#ifdef float
const INFINITE: u32 = 0x7f800000u;

fn is_infinite(word: u32) -> bool { return (word & 0x7fffffffu) == INFINITE; }

// Infinities are recognised by their bits, as compilers may change arithmetic with infinite distances. A result is infinite if one end is.
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
    if is_tiny(low) & is_tiny(high) {
        let tiny = vec2(enlarged(low), enlarged(high));
        return reduced(between(tiny, tiny.y - tiny.x, way));
    }
    let ends = vec2(bitcast<f32>(low), bitcast<f32>(high));
    let distance = ends.y - ends.x;
    if is_infinite(bitcast<u32>(distance)) {
        return bitcast<u32>(ends.x * (1.0 - way) + ends.y * way);
    }
    return bitcast<u32>(between(ends, distance, way));
}

// A GPU may take subnormal numbers for zero, and small numbers have subnormal distances. So those below 2^-60 are multiplied by 2^48, from
// their bits: a subnormal number is a multiple of 2^-149.
const TINY: u32 = 67u << 23u;
const SUBNORMAL: u32 = 1u << 23u;

fn is_tiny(word: u32) -> bool { return (word & 0x7fffffffu) < TINY; }

fn enlarged(word: u32) -> f32 {
    let magnitude = word & 0x7fffffffu;
    let size = select(bitcast<f32>(magnitude) * 0x1p48f, f32(magnitude) * 0x1p-101f, magnitude < SUBNORMAL);
    return select(size, -size, word != magnitude);
}

fn reduced(value: f32) -> u32 {
    let size = abs(value);
    let magnitude = select(bitcast<u32>(size * 0x1p-48f), u32(round(size * 0x1p101f)), size < 0x1p-78f);
    return magnitude | (bitcast<u32>(value) & 0x80000000u);
}
#else
// The distance is exact: keys of integers are as far apart as the integers.
fn result(key: Key, next: Key, way: f32, has_nan: bool) -> u32 {
    let words = vec2(word_of(key), word_of(next));
#ifdef signed
    return bitcast<u32>(between(vec2<f32>(bitcast<vec2<i32>>(words)), f32(next - key), way));
#else
    return bitcast<u32>(between(vec2<f32>(words), f32(next - key), way));
#endif
}
#endif

// From the nearer end, as NumPy does it: so the result is never beyond the other one.
fn between(ends: vec2<f32>, distance: f32, way: f32) -> f32 {
    if way < 0.5 {
        return ends.x + distance * way;
    }
    return ends.y - distance * (1.0 - way);
}

fn missing() -> u32 { return 0x7fc00000u; }
