// Keys: unsigned integers that order as NumPy sorts. NaNs come last, and all of them are one key; -0 is 0.
//
// A float is a sign and a magnitude, and magnitudes order like their bits. So the key of a float is its magnitude, with its sign, as a
// two's complement integer, moved up by the magnitude of infinity:
//
//     -inf        -1.0        -0, +0      +1.0        +inf        NaN
//     0           0x3f80...   0x7f80...   0xbf00...   0xff000000  0xff000001
//
// That takes three instructions, and no comparison of floats, which Metal may take to be free of NaNs. What lies beyond infinity, on
// either side, is a NaN: positive ones have larger keys, negative ones wrap around to larger keys still.
//
// The k largest elements are the k smallest in the opposite order: then `FLIP` has all bits set.
alias Key = u32;

// All ones: keys order in the opposite way.
override FLIP: u32 = 0u;

// The lowest and the highest of all keys.
fn lowest() -> Key {
    return 0u;
}

fn highest() -> Key {
    return 0xffffffffu;
}

fn is_below(a: Key, b: Key) -> bool {
    return a < b;
}

#ifdef float
const INFINITY: u32 = 0x7f800000u;
const NOT_A_NUMBER: u32 = 2u * INFINITY + 1u;

fn key_of(word: u32) -> Key {
    let sign = bitcast<u32>(bitcast<i32>(word) >> 31u);
    let key = ((word & 0x7fffffffu) ^ sign) - sign + INFINITY;
    return min(key, NOT_A_NUMBER) ^ FLIP;
}

// The element's bits.
fn word_of(key: Key) -> u32 {
    let number = (key ^ FLIP) - INFINITY;
    if (key ^ FLIP) == NOT_A_NUMBER {
        return 0x7fc00000u;
    }
    let sign = bitcast<u32>(bitcast<i32>(number) >> 31u);
    return ((number ^ sign) - sign) | (sign & 0x80000000u);
}

fn any_is_nan(keys: vec4<u32>) -> bool {
    return any(keys == vec4(NOT_A_NUMBER ^ FLIP));
}
#else
#ifdef signed
const SIGN: u32 = 0x80000000u;
#else
const SIGN: u32 = 0u;
#endif

fn key_of(word: u32) -> Key {
    return word ^ SIGN ^ FLIP;
}

fn word_of(key: Key) -> u32 {
    return key ^ SIGN ^ FLIP;
}

fn any_is_nan(keys: vec4<u32>) -> bool {
    return false;
}
#endif
