// Floats as unsigned integers of the same order. Zeros are one key, and so are NaNs, which come last.
fn in_order(bits: u32) -> u32 {
    let size = bits & 0x7fffffffu;
    let number = select(bits ^ select(0x80000000u, 0xffffffffu, bits >= 0x80000000u), 0x80000000u, size == 0u);
    return select(number, 0xffc00000u, size > 0x7f800000u);
}

fn from_order(key: u32) -> u32 { return key ^ select(0xffffffffu, 0x80000000u, key >= 0x80000000u); }
