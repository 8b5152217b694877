// Squares of differences between 16-bit floats, two to a word: as 32-bit floats, of which each is one.
//
// Both arrays start at the same offset, as grids of a stencil do: their words hold the same pairs.
#import squares

const PER_VECTOR: u32 = 8u;

// The bits of four 32-bit floats that are these 16-bit ones. What is subnormal here is a small integer times 2^-24.
fn widened(halves: vec4<u32>) -> vec4<u32> {
    let rest = halves & vec4<u32>(0x7fffu);
    let is_odd = rest >= vec4<u32>(0x7c00u);
    let usual = (rest << vec4<u32>(13u)) + select(vec4<u32>(112u << 23u), vec4<u32>(224u << 23u), is_odd);
    let small = bitcast<vec4<u32>>(vec4<f32>(rest) * 0x1p-24f);
    let magnitude = select(usual, small, rest < vec4<u32>(0x400u));
    return magnitude | ((halves & vec4<u32>(0x8000u)) << vec4<u32>(16u));
}

fn lower(f: Factors) -> vec4<u32> {
    let mask = vec4<u32>(0xffffu);
    return squares(widened(f.v & mask), widened(f.w & mask));
}

fn upper(f: Factors) -> vec4<u32> {
    return squares(widened(f.v >> vec4<u32>(16u)), widened(f.w >> vec4<u32>(16u)));
}

// Thirty-two pairs, in two batches of sixteen.
fn add_batch(acc: Acc, f0: Factors, f1: Factors, f2: Factors, f3: Factors) -> Acc {
    let first = add_numbers(acc, lower(f0), upper(f0), lower(f1), upper(f1));
    return add_numbers(first, lower(f2), upper(f2), lower(f3), upper(f3));
}

// Both elements of pair `p`.
fn element(p: u32) -> vec2<u32> {
    let shift = vec2<u32>((p & 1u) << 4u);
    return (vec2<u32>(input[p >> 1u], second[p >> 1u]) >> shift) & vec2<u32>(0xffffu);
}

fn largest_exponent(f: Factors) -> u32 {
    return max(largest_exponent_of(lower(f)), largest_exponent_of(upper(f)));
}
