// The order of keys of two words, and arithmetic with them. The high word comes first.
//
// A digit of a key is a part of its distance from a base. Beyond the range of the search it is larger than any digit.
#import rank/shared/flip

alias Key = vec2<u32>;

// Four keys, and how they lie in storage.
struct Keys {
    high: vec4<u32>,
    low: vec4<u32>,
}

struct StoredKeys {
    a: vec4<u32>,
    b: vec4<u32>,
}

fn keys_in(stored: StoredKeys) -> Keys { return Keys(vec4(stored.a.xz, stored.b.xz), vec4(stored.a.yw, stored.b.yw)); }
fn four(a: Key, b: Key, c: Key, d: Key) -> Keys { return Keys(vec4(a.x, b.x, c.x, d.x), vec4(a.y, b.y, c.y, d.y)); }
fn same(a: Key, b: Key) -> bool { return all(a == b); }
fn is_below(a: Key, b: Key) -> bool { return (a.x < b.x) | ((a.x == b.x) & (a.y < b.y)); }
fn are_same(keys: Keys, key: Key) -> vec4<bool> { return (keys.high == vec4(key.x)) & (keys.low == vec4(key.y)); }
fn are_below(keys: Keys, key: Key) -> vec4<bool> { return (keys.high < vec4(key.x)) | ((keys.high == vec4(key.x)) & (keys.low < vec4(key.y))); }
fn are_up_to(keys: Keys, key: Key) -> vec4<bool> { return (keys.high < vec4(key.x)) | ((keys.high == vec4(key.x)) & (keys.low <= vec4(key.y))); }
fn lower(a: Key, b: Key) -> Key { return select(b, a, is_below(a, b)); }

fn plus(key: Key, number: u32) -> Key {
    let low = key.y + number;
    return Key(key.x + select(0u, 1u, low < number), low);
}

fn minus(key: Key, number: u32) -> Key { return Key(key.x - select(0u, 1u, key.y < number), key.y - number); }

// The bits of the distance from one key to another.
fn bits_between(low: Key, high: Key) -> u32 {
    let distance = high.x - low.x - select(0u, 1u, high.y < low.y);
    if distance == 0u {
        return 32u - countLeadingZeros(high.y - low.y);
    }
    return 64u - countLeadingZeros(distance);
}

// The key that is `digit` units of a digit above a base.
fn above(base: Key, digit: u32, shift: u32) -> Key {
    if shift >= 32u {
        return Key(base.x + (digit << (shift - 32u)), base.y);
    }
    let key = plus(base, digit << shift);
    return Key(key.x + select(0u, digit >> ((32u - shift) & 31u), shift > 0u), key.y);
}

fn digits_of(keys: Keys, base: Key, shift: u32) -> vec4<u32> {
    let low = keys.low - base.y;
    let high = keys.high - base.x - select(vec4(0u), vec4(1u), keys.low < vec4(base.y));
    if shift >= 32u {
        return high >> vec4(shift - 32u);
    }
    let digits = (low >> vec4(shift)) | (high << vec4((32u - shift) & 31u));
    return select(digits, vec4(0xffffffffu), (high >> vec4(shift)) != vec4(0u));
}

// The words of keys that decide first, the lowest key with such a word, and the bits of what it leaves open.
const OPEN_BITS: u32 = 32u;

fn leading(keys: Keys) -> vec4<u32> { return keys.high; }
fn first_with(word: u32) -> Key { return Key(word, 0u); }
