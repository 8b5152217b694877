// Keys of 64-bit elements, made as `keys` makes those of 32 bits, in words of 32 bits: so no device lacks anything for them.
//
//     -inf      -0, +0           +inf             NaN
//     0         0x7ff00000, 0    0xffe00000, 0    0xffe00000, 1
#import rank/order/*

// An element in the input, with the low word first, and four of them; a value in the output.
alias InputWord = vec2<u32>;
struct InputVector {
    a: vec4<u32>,
    b: vec4<u32>,
}
alias OutputValue = vec2<u32>;

const KEY_BITS: u32 = 64u;
const DIGITS: u32 = 6u;

fn lowest() -> Key { return Key(0u, 0u); }
fn highest() -> Key { return Key(0xffffffffu, 0xffffffffu); }
fn word_with(at: u32) -> u32 { return at; }
fn element_in(word: InputWord, at: u32) -> InputWord { return word; }
fn keys_of_four(vector: InputVector) -> Keys { return four(key_of(vector.a.xy), key_of(vector.a.zw), key_of(vector.b.xy), key_of(vector.b.zw)); }

#ifdef float
const INFINITY: u32 = 0x7ff00000u;

fn not_a_number() -> Key { return Key(2u * INFINITY, 1u); }

// A magnitude with its sign, as a two's complement integer of two words; or its magnitude again.
fn with_sign(high: u32, low: u32, sign: u32) -> Key { return plus(Key(high ^ sign, low ^ sign), sign & 1u); }

fn key_of(word: InputWord) -> Key {
    let number = with_sign(word.y & 0x7fffffffu, word.x, bitcast<u32>(bitcast<i32>(word.y) >> 31u));
    return lower(Key(number.x + INFINITY, number.y), not_a_number()) ^ Key(FLIP, FLIP);
}

fn word_of(key: Key) -> OutputValue {
    let known = key ^ Key(FLIP, FLIP);
    if same(known, not_a_number()) {
        return OutputValue(0u, 0x7ff80000u);
    }
    let high = known.x - INFINITY;
    let sign = bitcast<u32>(bitcast<i32>(high) >> 31u);
    let magnitude = with_sign(high, known.y, sign);
    return OutputValue(magnitude.y, magnitude.x | (sign & 0x80000000u));
}

fn any_is_nan(keys: Keys) -> bool { return any(are_same(keys, not_a_number() ^ Key(FLIP, FLIP))); }
#else
fn key_of(word: InputWord) -> Key { return Key(word.y ^ SIGN ^ FLIP, word.x ^ FLIP); }
fn word_of(key: Key) -> OutputValue { return OutputValue(key.y ^ FLIP, key.x ^ SIGN ^ FLIP); }
fn any_is_nan(keys: Keys) -> bool { return false; }
#endif
