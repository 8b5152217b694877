// Compares floats as integers, so that NaN, infinities and signed zeros give the same results on every GPU.
//
// WGSL lets an implementation assume that NaNs and infinities do not occur, and Metal's compiler does so by
// default. The value of `min(NaN, 1.0)` differs from driver to driver. The bits of a positive float, read as
// a signed integer, grow with the float. Those of a negative float grow in the opposite direction, so all
// bits except the sign are flipped. Then the order of the integers is the order of the floats, with -0 below
// +0. The patterns beyond the infinities belong to NaNs, whose signs and payloads have no order: all of them
// become the one key `nan` that wins the comparison. So a NaN anywhere in the input makes the result NaN, as
// in NumPy.
//
// `bits` returns an element's bit pattern. The binding holds bit patterns, so there is no float arithmetic at
// all.
//
// Integers are their own keys.

#ifdef float
#ifdef bits_64
alias Key = i64;
const SIGN_BIT: u32 = 63u;
const INFINITY: i64 = 0x7ff0000000000000li;
const NOT_A_NUMBER: i64 = 0x7ff8000000000000li;
fn highest() -> Key { return 0x7fffffffffffffffli; }
#else
alias Key = i32;
const SIGN_BIT: u32 = 31u;
const INFINITY: i32 = 0x7f800000i;
const NOT_A_NUMBER: i32 = 0x7fc00000i;
fn highest() -> Key { return 0x7fffffffi; }
#endif
#else
alias Key = Elem;
#ifdef bits_64
#ifdef signed
fn highest() -> Key { return 0x7fffffffffffffffli; }
#else
fn highest() -> Key { return 0xfffffffffffffffflu; }
#endif
#else
#ifdef signed
fn highest() -> Key { return 0x7fffffffi; }
#else
fn highest() -> Key { return 0xffffffffu; }
#endif
#endif
#endif

fn lowest() -> Key {
    return ~highest();
}

#ifdef float
fn bits(elem: Elem) -> Key {
#ifdef half
    return bitcast<i32>(f32(elem));
#else
    return elem;
#endif
}

fn flip(bits: Key) -> Key {
    return bits ^ ((bits >> SIGN_BIT) & highest());
}

fn to_key(elem: Elem, nan: Key) -> Key {
    let b = bits(elem);
    return select(flip(b), nan, (b & highest()) > INFINITY);
}

fn from_key(key: Key, nan: Key) -> Key {
    if key == nan {
        return NOT_A_NUMBER;
    }
    // The identity lies beyond the infinities: an empty input gives the infinity nearest to it.
    return flip(clamp(key, flip(INFINITY | lowest()), INFINITY));
}
#else
fn to_key(elem: Elem, nan: Key) -> Key {
    return elem;
}

fn from_key(key: Key, nan: Key) -> Key {
    return key;
}
#endif
