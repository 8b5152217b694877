// Packs as a time-blocked kernel reads and writes them.
#import stencil/lanes/*
#import stencil/ends/*

// Writes a whole pack.
fn put_all(i: u32, value: Pack) { result[i / u32(LANES)] = value; }

// A pack, or its mirror image. Nothing is reversed where all sides are fixed.
fn mirrored(pack: Pack, reversed: bool) -> Pack {
#ifdef fixed_borders
    return pack;
#else
    return select(pack, reverse(pack), reversed);
#endif
}
