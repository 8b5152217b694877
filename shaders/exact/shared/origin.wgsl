// Small integers as floats, and back: by the sum with ORIGIN, as floats of that size have units of 1.

// 1.5 · 2^23, and its bits. An integer from -2^22 to 2^22, both included, is the difference between the bits of its sum with
// this and those of this.
const ORIGIN: f32 = 0x1.8p23f;
const ORIGIN_BITS: u32 = 0x4b400000u;

// The integer next to a float of up to 2^22.
fn integer(number: f32) -> u32 {
    return bitcast<u32>(number + ORIGIN) - ORIGIN_BITS;
}
