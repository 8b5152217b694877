// The order of values: as unsigned integers.
#import group/shared/io

// A value as an unsigned integer of the same order; NaNs are not in this order.
fn key_of(bits: u32) -> u32 {
#ifdef float
    return bits ^ select(0x80000000u, 0xffffffffu, bits >= 0x80000000u);
#else
#ifdef signed
    return bits ^ 0x80000000u;
#else
    return bits;
#endif
#endif
}

fn value_of(key: u32) -> u32 {
#ifdef float
    return key ^ select(0xffffffffu, 0x80000000u, key >= 0x80000000u);
#else
    return key_of(key);
#endif
}

fn is_no_number(bits: u32) -> bool {
#ifdef float
    return (bits & 0x7fffffffu) > 0x7f800000u;
#else
    return false;
#endif
}

// A NaN is less than all values, where the least is searched, and greater where the greatest is.
fn least_key(bits: u32) -> u32 { return select(key_of(bits), 0u, is_no_number(bits)); }
fn most_key(bits: u32) -> u32 { return select(key_of(bits), 0xffffffffu, is_no_number(bits)); }
