// The bits of a float, which a buffer holds as an integer; those of a float of 16 bits are the bits of the same number in 32.
#import operators/keys/*

fn bits(elem: Elem) -> Key {
#ifdef half
    return bitcast<Key>(f32(elem));
#else
    return elem;
#endif
}
