// Compares floats as integers, so that NaN, infinities and signed zeros give the same results on every GPU. (WGSL lets an implementation assume
// that NaNs and infinities do not occur, as Metal's compiler does, and `min(NaN, 1.0)` differs from driver to driver.)
//
// The bits of a positive float, read as a signed integer, grow with the float. Those of a negative one grow in the opposite direction, so all
// bits except the sign are flipped. Then the order of the integers is that of the floats, with -0 below +0. The patterns beyond the infinities
// are NaNs: all of them become the one key `nan` that wins the comparison, so a NaN anywhere makes the result NaN, as in NumPy.
//
// `bits` returns an element's bit pattern. Integers are their own keys.

#import operators/keys/*

fn lowest() -> Key { return ~highest(); }

#ifdef float
#import operators/shared/float_bits

fn flip(bits: Key) -> Key { return bits ^ (sign_mask(bits) & highest()); }

fn to_key(elem: Elem, nan: Key) -> Key {
    let b = bits(elem);
    return select(flip(b), nan, is_above(b & highest(), INFINITY));
}

// The same with both zeros as one, for searches: of equal elements the first wins, as in NumPy.
fn to_search_key(elem: Elem, nan: Key) -> Key {
    let is_zero = is_same(bits(elem) & highest(), Key(0));
    return select(to_key(elem, nan), Key(0), is_zero);
}

fn from_key(key: Key, nan: Key) -> Key {
    if is_same(key, nan) {
        return NOT_A_NUMBER;
    }
    // The identity lies beyond the infinities: an empty input gives the infinity nearest to it.
    return flip(lesser(greater(key, flip(INFINITY | lowest())), INFINITY));
}
#else
fn to_key(elem: Elem, nan: Key) -> Key { return elem; }
fn to_search_key(elem: Elem, nan: Key) -> Key { return elem; }
fn from_key(key: Key, nan: Key) -> Key { return key; }
#endif
