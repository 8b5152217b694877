// Keys of 64-bit floats on a device without 64-bit integers: pairs of 32-bit words.
//
// A key has the same bits as the 64-bit integer of number.wgsl, its lower word first, as it lies in memory. The
// upper words decide, as signed integers. If they are equal, the lower words decide, as unsigned integers.

alias Key = vec2<u32>;
const INFINITY: Key = Key(0u, 0x7ff00000u);
const NOT_A_NUMBER: Key = Key(0u, 0x7ff80000u);

fn highest() -> Key { return Key(0xffffffffu, 0x7fffffffu); }

// All ones if the sign bit is set, otherwise zeros.
fn sign_mask(bits: Key) -> Key { return Key(bitcast<u32>(bitcast<i32>(bits.y) >> 31u)); }

fn is_above(a: Key, b: Key) -> bool {
    let upper = bitcast<vec2<i32>>(vec2<u32>(a.y, b.y));
    return upper.x > upper.y || (upper.x == upper.y && a.x > b.x);
}

fn is_same(a: Key, b: Key) -> bool { return all(a == b); }
fn lesser(a: Key, b: Key) -> Key { return select(a, b, is_above(a, b)); }
fn greater(a: Key, b: Key) -> Key { return select(b, a, is_above(a, b)); }
