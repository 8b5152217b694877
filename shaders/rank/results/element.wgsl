// A result that is an element.
#import keys

// True: a NaN among the elements makes the result NaN.
override NAN_WINS: bool = false;

fn result(key: Key, next: Key, way: f32, has_nan: bool) -> u32 {
#ifdef float
    if NAN_WINS & has_nan {
        return 0x7fc00000u;
    }
#endif
    return word_of(key);
}

// The result if there is no such element.
fn missing() -> u32 {
#ifdef float
    return 0x7fc00000u;
#else
    return 0u;
#endif
}
