// Magnitudes: the L1 norm. Where no element is, -0 stays.
#import format
#import elements

fn numbers(x: Floats, which: Lanes) -> Numbers {
#ifdef bits_64
    return Numbers(x.low, without_sign(x.high, which));
#else
    return without_sign(x, which);
#endif
}

// The words of these lanes without the sign.
fn without_sign(words: Lanes, which: Lanes) -> Lanes {
    return words & ~(which & Lanes(0x80000000u));
}
