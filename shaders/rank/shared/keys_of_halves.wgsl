// Keys of 16-bit floats: 16 bits, ordered as `keys` orders 32-bit floats. A word of the input has two elements.
//
//     -inf     -0, +0    +inf      NaN
//     0        0x7c00    0xf800    0xf801
//
// A result is a 32-bit float, which every one of 16 bits is: also a subnormal one is a normal number there.
#import key_order

// Two elements in the input, and four of them; a value in the output.
alias InputWord = u32;
alias InputVector = vec2<u32>;
alias OutputValue = u32;

const KEY_BITS: u32 = 16u;
const DIGITS: u32 = 2u;

const ALL_BITS: u32 = 0xffffu;
const INFINITY: u32 = 0x7c00u;
const NOT_A_NUMBER: u32 = 2u * INFINITY + 1u;

fn lowest() -> Key {
    return 0u;
}

fn highest() -> Key {
    return ALL_BITS;
}

fn word_with(at: u32) -> u32 {
    return at >> 1u;
}

fn element_in(word: InputWord, at: u32) -> u32 {
    return (word >> (16u * (at & 1u))) & ALL_BITS;
}

fn keys_of_four(vector: InputVector) -> Keys {
    let low = vector & vec2(ALL_BITS);
    let high = vector >> vec2(16u);
    return four(key_of(low.x), key_of(high.x), key_of(low.y), key_of(high.y));
}

fn key_of(bits: u32) -> Key {
    let sign = 0u - (bits >> 15u);
    let key = ((bits & 0x7fffu) ^ sign) - sign + INFINITY;
    return min(key, NOT_A_NUMBER) ^ (FLIP & ALL_BITS);
}

// The bits of the element as a 32-bit float.
fn word_of(key: Key) -> OutputValue {
    let known = key ^ (FLIP & ALL_BITS);
    let number = known - INFINITY;
    if known == NOT_A_NUMBER {
        return 0x7fc00000u;
    }
    let sign = bitcast<u32>(bitcast<i32>(number) >> 31u);
    let magnitude = (number ^ sign) - sign;
    // A subnormal one is a multiple of 2^-24.
    var bits = bitcast<u32>(f32(magnitude) * 0x1p-24f);
    if magnitude == INFINITY {
        bits = 0x7f800000u;
    } else if magnitude >= 0x400u {
        bits = (magnitude << 13u) + (112u << 23u);
    }
    return bits | (sign & 0x80000000u);
}

fn any_is_nan(keys: Keys) -> bool {
    return any(keys == vec4(NOT_A_NUMBER ^ (FLIP & ALL_BITS)));
}
