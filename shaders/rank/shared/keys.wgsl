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
// The k largest elements are the k smallest in the opposite order: then `FLIP` has all bits set.
#import key_order

// An element in the input, and four of them; a value in the output.
alias InputWord = u32;
alias InputVector = vec4<u32>;
alias OutputValue = u32;

// The bits of a key, and the digits that they make.
const KEY_BITS: u32 = 32u;
const DIGITS: u32 = 3u;

fn lowest() -> Key {
    return 0u;
}

fn highest() -> Key {
    return 0xffffffffu;
}

// The place in the input of the word that has an element, and the element in that word.
fn word_with(at: u32) -> u32 {
    return at;
}

fn element_in(word: InputWord, at: u32) -> InputWord {
    return word;
}

fn keys_of_four(vector: InputVector) -> Keys {
    return four(key_of(vector.x), key_of(vector.y), key_of(vector.z), key_of(vector.w));
}

#ifdef float
const INFINITY: u32 = 0x7f800000u;
const NOT_A_NUMBER: u32 = 2u * INFINITY + 1u;

fn key_of(word: InputWord) -> Key {
    let sign = bitcast<u32>(bitcast<i32>(word) >> 31u);
    return min(((word & 0x7fffffffu) ^ sign) - sign + INFINITY, NOT_A_NUMBER) ^ FLIP;
}

// The element's bits.
fn word_of(key: Key) -> OutputValue {
    let number = (key ^ FLIP) - INFINITY;
    if (key ^ FLIP) == NOT_A_NUMBER {
        return 0x7fc00000u;
    }
    let sign = bitcast<u32>(bitcast<i32>(number) >> 31u);
    return ((number ^ sign) - sign) | (sign & 0x80000000u);
}

fn any_is_nan(keys: Keys) -> bool {
    return any(keys == vec4(NOT_A_NUMBER ^ FLIP));
}
#else
fn key_of(word: InputWord) -> Key {
    return word ^ SIGN ^ FLIP;
}

fn word_of(key: Key) -> OutputValue {
    return key ^ SIGN ^ FLIP;
}

fn any_is_nan(keys: Keys) -> bool {
    return false;
}
#endif
