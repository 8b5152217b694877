// Floats of 16 bits, two in a word of the input. In a word of its own, an element has its sign in all upper bits.
alias InputWord = u32;
alias InputVector = vec2<u32>;

const KEY_BITS: u32 = 16u;
const DIGITS: u32 = 2u;
const HIGHEST: u32 = 0xffffu;
const MAGNITUDE: u32 = 0x7fffu;
const INFINITY: u32 = 0x7c00u;

fn word_with(at: u32) -> u32 { return at >> 1u; }
fn element_in(word: InputWord, at: u32) -> u32 { return bitcast<u32>(bitcast<i32>(word << (16u - 16u * (at & 1u))) >> 16u); }

fn words_of(vector: InputVector) -> vec4<u32> {
    let high = bitcast<vec2<i32>>(vector) >> vec2(16u);
    let low = bitcast<vec2<i32>>(vector << vec2(16u)) >> vec2(16u);
    return bitcast<vec4<u32>>(vec4(low.x, high.x, low.y, high.y));
}

// The magnitude as a 32-bit float, which each of 16 bits is: also a subnormal one, a multiple of 2^-24, is a normal number there.
fn output_bits(magnitude: u32) -> u32 {
    if magnitude == INFINITY {
        return 0x7f800000u;
    }
    if magnitude >= 0x400u {
        return (magnitude << 13u) + (112u << 23u);
    }
    return bitcast<u32>(f32(magnitude) * 0x1p-24f);
}
