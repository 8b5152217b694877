// Finds the bin of a float among equal ranges: guesses in floats, and decides in integers.
//
// floor((x - low) * bins / (high - low)) looks like the whole answer. But a GPU may contract the subtraction
// and the product into one rounding, flush denormals, or reassociate (Metal compiles with fast math), so a
// value next to a border falls into one bin here and into its neighbour there. NumPy has the same problem and
// compares with the borders afterwards. So does this file, and here only the comparison decides:
//
//   * The host computes the borders once, and stores for each bin its first and its last float.
//   * Floats are compared as integers. If all bits of a negative float are flipped, and the sign bit of any other, the
//     unsigned order is the order of floats. NaNs lie beyond both infinities, and denormals are ordinary numbers. -0
//     is first changed to +0. Rounding modes, flushing and fast math do not affect an integer comparison.
//   * The formula above is only a first guess. It is nearly always right: one load of eight bytes confirms it. If it
//     is wrong, by one bin or by a thousand, a search in sixteen steps finds the bin.
//
// So every adapter gives the same counts, and so does the CPU, which only compares. The guess uses half of
// each number, because `x - low` may be infinite.
#import borders
#import io

fn bin_of(word: u32) -> u32 {
    let key = order(word);
    // One comparison for both ends: a key below the low one wraps around to a large number.
    if key - params.low > params.span {
        return NOWHERE;
    }
    let place = (0.5 * bitcast<f32>(word) - params.half_low) * params.scale;
    let guess = u32(clamp(place, 0.0, f32(BINS - 1u)));
    // A clamp in integers: the index stays in bounds, whatever the float computation gave.
    let bin = min(guess, BINS - 1u);
    let range = borders[bin];
    if key >= range.x && key <= range.y {
        return bin;
    }
    return search(key);
}
