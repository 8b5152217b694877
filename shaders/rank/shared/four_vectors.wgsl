// Four vectors of an invocation, which are loaded before the first is used, and a bit for each of their sixteen elements.

struct FourVectors {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
}

// The bits of the elements whose flags are set.
fn bits_of(a: vec4<bool>, b: vec4<bool>, c: vec4<bool>, d: vec4<bool>) -> u32 {
    return four_bits(a) | (four_bits(b) << 4u) | (four_bits(c) << 8u) | (four_bits(d) << 12u);
}

fn four_bits(flags: vec4<bool>) -> u32 {
    let bits = select(vec4(0u), vec4(1u, 2u, 4u, 8u), flags);
    return (bits.x | bits.y) | (bits.z | bits.w);
}
