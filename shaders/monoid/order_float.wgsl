// Floats compared as integers, so that every GPU agrees on NaN, infinities and signed zeros.
//
// WGSL lets an implementation assume that NaNs and infinities do not occur, and Metal's compiler does by default; what
// `min(NaN, 1.0)` is differs from one driver to the next. The bits of a float, read as a signed integer, already grow
// with the float when its sign is plus; when it is minus they grow the wrong way, so all but the sign bit are
// flipped. Then integer comparison is the order of the floats, with -0 below +0. The few patterns beyond the
// infinities belong to NaNs, whose signs and payloads have no order: all of them become the one key `nan`
// that wins the comparison. So a NaN anywhere in the input makes the result NaN, as in NumPy.
//
// `bits` gives an element's pattern; the binding holds patterns, so no float arithmetic happens at all.

fn lowest() -> Key {
    return ~highest();
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
    // The identity lies beyond the infinities: nothing reduced gives the infinity nearest to it.
    return flip(clamp(key, flip(INFINITY | lowest()), INFINITY));
}
