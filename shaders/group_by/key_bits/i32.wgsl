// Signed integers as unsigned ones of the same order.
fn in_order(bits: u32) -> u32 { return bits ^ 0x80000000u; }
fn from_order(key: u32) -> u32 { return key ^ 0x80000000u; }
