// The bin of a float among equal ranges: guessed in floats, decided in integers.
//
// floor((x - low) * bins / (high - low)) looks like the whole answer. But a GPU may contract the subtraction and the
// product into one rounding, flush denormals, or reassociate (Metal compiles with fast math), so a value next to a
// border falls into one bin here and into its neighbour there. NumPy meets the same trouble and compares with the
// borders afterwards; so does this piece, and it lets the comparison alone decide:
//
//   * The host computes the borders once, and stores for each bin its first and its last float.
//   * Floats are compared as integers. Flip all bits of a negative float and the sign bit of any other, and unsigned
//     order is the order of floats; a NaN lies beyond both infinities, a denormal is a number like any other, and -0
//     is made +0 before. No rounding mode, no flush and no fast math reaches an integer comparison.
//   * The formula above is only a guess where to look. It is right nearly always: one load of eight bytes confirms
//     it. Where it is wrong, be it by one bin or by a thousand, sixteen halvings find the bin.
//
// So every adapter gives the same counts, and the CPU, which only compares, gives them, too. The distance is taken
// between halves because `x - low` may be infinite.

// Each bin's first and last float, in the order of floats. The last of an empty bin is below its first.
@group(0) @binding(5) var<storage, read> borders: array<vec2<u32>>;

fn order(word: u32) -> u32 {
    let bits = select(word, 0u, word == 0x80000000u);
    return bits ^ select(0x80000000u, 0xffffffffu, bits >= 0x80000000u);
}

// The last bin whose first float is not above the key.
fn search(key: u32) -> u32 {
    var at = 0u;
    for (var width = 32768u; width > 0u; width >>= 1u) {
        if at + width < BINS {
            if borders[at + width].x <= key {
                at += width;
            }
        }
    }
    return at;
}

fn bin_of(word: u32) -> u32 {
    let key = order(word);
    // One comparison for both ends: a key below the low one wraps around to a large number.
    if key - params.low > params.span {
        return NOWHERE;
    }
    let place = (0.5 * bitcast<f32>(word) - params.half_low) * params.scale;
    let guess = u32(clamp(place, 0.0, f32(BINS - 1u)));
    // Once more in integers: whatever a float became, the index stays inside.
    let bin = min(guess, BINS - 1u);
    let range = borders[bin];
    if key >= range.x && key <= range.y {
        return bin;
    }
    return search(key);
}
