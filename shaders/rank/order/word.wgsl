// The order of keys of a word, and arithmetic with them: as for keys of two words (two_words.wgsl).
#import rank/shared/flip

alias Key = u32;

alias Keys = vec4<u32>;
alias StoredKeys = vec4<u32>;

fn keys_in(stored: StoredKeys) -> Keys { return stored; }
fn four(a: Key, b: Key, c: Key, d: Key) -> Keys { return vec4(a, b, c, d); }
fn same(a: Key, b: Key) -> bool { return a == b; }
fn is_below(a: Key, b: Key) -> bool { return a < b; }
fn are_same(keys: Keys, key: Key) -> vec4<bool> { return keys == vec4(key); }
fn are_below(keys: Keys, key: Key) -> vec4<bool> { return keys < vec4(key); }
fn are_up_to(keys: Keys, key: Key) -> vec4<bool> { return keys <= vec4(key); }
fn lower(a: Key, b: Key) -> Key { return min(a, b); }
fn plus(key: Key, number: u32) -> Key { return key + number; }
fn minus(key: Key, number: u32) -> Key { return key - number; }
fn bits_between(low: Key, high: Key) -> u32 { return 32u - countLeadingZeros(high - low); }
fn above(base: Key, digit: u32, shift: u32) -> Key { return base + (digit << shift); }
fn digits_of(keys: Keys, base: Key, shift: u32) -> vec4<u32> { return (keys - base) >> vec4(shift); }

const OPEN_BITS: u32 = 0u;

fn leading(keys: Keys) -> vec4<u32> { return keys; }
fn first_with(word: u32) -> Key { return word; }
