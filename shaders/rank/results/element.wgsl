// A result that is an element.
#import rank/keys/*

// True: a NaN among the elements makes the result NaN.
override NAN_WINS: bool = false;

fn result(key: Key, next: Key, way: f32, has_nan: bool) -> OutputValue {
#ifdef float
    if NAN_WINS & has_nan {
        return missing();
    }
#endif
    return word_of(key);
}

// The result if there is no such element.
fn missing() -> OutputValue {
#ifdef float
#ifdef bits_64
    return OutputValue(0u, 0x7ff80000u);
#else
    return 0x7fc00000u;
#endif
#else
    return OutputValue();
#endif
}
