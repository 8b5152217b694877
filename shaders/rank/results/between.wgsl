// A result between two elements, as a 32-bit float.
#import keys

fn result(key: Key, next: Key, way: f32, has_nan: bool) -> u32 {
#ifdef float
    let a = bitcast<f32>(word_of(key));
    let distance = bitcast<f32>(word_of(next)) - a;
    if has_nan {
        return 0x7fc00000u;
    }
#else
    // The distance is exact: keys of integers are as far apart as the integers.
#ifdef signed
    let a = f32(bitcast<i32>(word_of(key)));
#else
    let a = f32(word_of(key));
#endif
    let distance = f32(next - key);
#endif
    if way == 0.0 {
        return bitcast<u32>(a);
    }
    // From the nearer end, as NumPy does it: so the result is never beyond the other one.
    if way < 0.5 {
        return bitcast<u32>(a + distance * way);
    }
    return bitcast<u32>((a + distance) - distance * (1.0 - way));
}
