// Finds the bin of a number among equal ranges: guesses in floats, and decides in integers.
//
// floor((x - low) * bins / (high - low)) is not reliable: a GPU may contract, flush denormals or reassociate, so a value next to a border
// changes its bin from GPU to GPU. So, as in NumPy, a comparison with the borders decides:
//
//   * The host computes the borders once, and stores for each bin its first and its last float.
//   * Floats are compared as integers. If all bits of a negative float are flipped, and the sign bit of any other, the
//     unsigned order is the order of floats. NaNs lie beyond both infinities, and denormals are ordinary numbers. -0
//     is first changed to +0.
//   * The formula above is only a guess, whose error has a bound. Farther than that from a border the guess is right. Near a border a load
//     of eight bytes confirms it. If it is wrong, by one bin or by a thousand, a search in sixteen steps finds the bin.
//
// So every adapter and the CPU give the same counts. Integers between levels at equal distances are found in the same way. The guess uses half of each number, because `x - low` may be infinite. It is one integer,
// and so takes one conversion from a float: the bin, and below it the place between its borders in `fraction` bits. Of floats that are even
// over 256 bins from 0 to 1, one in a thousand is near a border; more are if the ends are far from 0 compared with a bin.
#import histogram/shared/borders
#import histogram/shared/io

fn bin_of(word: u32) -> u32 {
#ifdef float
    let place = u32(clamp((0.5 * bitcast<f32>(word) - params.half_low) * params.scale, 0.0, 0x1p31f));
    // Numbers outside of the range have no such place, and neither infinities nor NaNs are trusted to the conversion.
    let has_place = (word & 0x7fffffffu) < 0x7f800000u;
#else
    let place = u32(min(f32(word - params.low) * params.scale, 0x1p31f));
    let has_place = word >= params.low;
#endif
    let bin = place >> params.fraction;
    let between = place & ((1u << params.fraction) - 1u);
    // No `&&`, and one way out: SwiftShader's compiler came to no end with short circuits in what is inlined many times.
    var found = NOWHERE;
    if has_place & (between - params.margin < params.sure) & (bin < BINS) {
        found = bin;
    } else {
        let key = order(word);
        // One comparison for both ends: a key below the low one wraps around to a large number.
        if key - params.low <= params.span {
            // A clamp in integers: the index stays in bounds, whatever the float computation gave.
            found = min(bin, BINS - 1u);
            let range = borders[found];
            if (key < range.x) | (key > range.y) {
                found = search(key);
            }
        }
    }
    return found;
}
