// Keys that are unsigned integers.
fn in_order(bits: u32) -> u32 { return bits; }
fn from_order(key: u32) -> u32 { return key; }
