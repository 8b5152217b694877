// Keys: unsigned integers that order as NumPy sorts. NaNs come last, and all of them are one key; -0 is 0.
//
// A float is a sign and a magnitude, and magnitudes order like their bits. So the key of a float is its magnitude, with its sign, as a
// two's complement integer, moved up by the magnitude of infinity:
//
//     -inf        -1.0        -0, +0      +1.0        +inf        NaN
//     0           0x3f80...   0x7f80...   0xbf00...   0xff000000  0xff000001
//
// That takes three integer instructions; Metal may compile comparisons of floats as if no NaN existed. Keys beyond either infinity are NaNs:
// positive ones have larger keys, negative ones wrap around to larger keys still.
//
// The k largest elements are the k smallest in the opposite order: then `FLIP` has all bits of a key set. Floats of 16 bits have keys of 16
// bits, made likewise; their results are floats of 32 bits.
#import rank/order/*
#import rank/formats/*

// A value in the output.
alias OutputValue = u32;

fn lowest() -> Key { return 0u; }
fn highest() -> Key { return HIGHEST; }

fn keys_of_four(vector: InputVector) -> Keys {
    let words = words_of(vector);
    return four(key_of(words.x), key_of(words.y), key_of(words.z), key_of(words.w));
}

#ifdef float
const NOT_A_NUMBER: u32 = 2u * INFINITY + 1u;

fn key_of(word: u32) -> Key {
    let sign = bitcast<u32>(bitcast<i32>(word) >> 31u);
    return min(((word & MAGNITUDE) ^ sign) - sign + INFINITY, NOT_A_NUMBER) ^ FLIP;
}

// The element's bits.
fn word_of(key: Key) -> OutputValue {
    let number = (key ^ FLIP) - INFINITY;
    if (key ^ FLIP) == NOT_A_NUMBER {
        return 0x7fc00000u;
    }
    let sign = bitcast<u32>(bitcast<i32>(number) >> 31u);
    return output_bits((number ^ sign) - sign) | (sign & 0x80000000u);
}

fn any_is_nan(keys: Keys) -> bool { return any(keys == vec4(NOT_A_NUMBER ^ FLIP)); }
#else
fn key_of(word: u32) -> Key { return word ^ SIGN ^ FLIP; }
fn word_of(key: Key) -> OutputValue { return key ^ SIGN ^ FLIP; }
fn any_is_nan(keys: Keys) -> bool { return false; }
#endif
