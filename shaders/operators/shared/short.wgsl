// The bits of a short float: its sign, its exponent and the upper bits of its significand.
#import real

#ifdef bits_64
const SHORT: Bits = 0xffffffffffffe000lu;
#else
const SHORT: Bits = 0xfffff000u;
#endif

// The exponent of a unit (unit.wgsl) that lies in the other bits.
fn unit_of(mean: Bits) -> u32 {
    return u32(mean & ~SHORT);
}
