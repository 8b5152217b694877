// Magnitudes: the L1 norm. Where no element is, -0 stays.
#import exact/formats/*
#import exact/elements/*

fn numbers(x: Floats, which: Lanes) -> Numbers {
    let kept = ~(which & Lanes(0x80000000u));
#ifdef bits_64
    return Numbers(x.low, x.high & kept);
#else
    return x & kept;
#endif
}
