// Arithmetic that the formats share: four lanes to one, and small integers as floats and back.

// Results of a format's `fit`: some number lies outside of the window; all lie in it; all are zeros.
const MISSES: u32 = 0u;
const FITS: u32 = 1u;
const ONLY_ZEROS: u32 = 2u;

fn across(v: vec4<u32>) -> u32 { return v.x + v.y + v.z + v.w; }
fn largest_of(v: vec4<u32>) -> u32 { return max(max(v.x, v.y), max(v.z, v.w)); }

// In a row and not as a tree: some GPUs take the largest of three in one operation.
fn largest_of_four(a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32>) -> u32 {
    let e = max(max(a, b), c);
    let f = max(max(max(max(e.x, e.y), e.z), e.w), d.x);
    return max(max(max(f, d.y), d.z), d.w);
}

// 1.5 · 2^23, and its bits. Floats of that size have units of 1, so an integer from -2^22 to 2^22 is the difference between the bits
// of its sum with this and those of this:
//
//     5 + ORIGIN = 12582917    its bits 0x4b400005    less ORIGIN_BITS    5
const ORIGIN: f32 = 0x1.8p23f;
const ORIGIN_BITS: u32 = 0x4b400000u;

// The integer next to a float of up to 2^22.
fn integer(number: f32) -> u32 { return bitcast<u32>(number + ORIGIN) - ORIGIN_BITS; }

// The fields of exponents of 32-bit floats.
fn fields(v: vec4<u32>) -> vec4<u32> { return v & vec4<u32>(0x7f800000u); }

// The significand of a 32-bit float.
fn significand_of(bits: u32) -> u32 { return (bits & 0x7fffffu) | select(0u, 0x800000u, (bits & 0x7f800000u) != 0u); }
