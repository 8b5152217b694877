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
// So every adapter and the CPU give the same counts. Integers between levels at equal distances are found in the same way.
//
// The guess is one product and sum: it gives a float from 2^23 to 2^24, whose units are 1. Its last bits are the bin, and below it the place between
// its borders in `fraction` bits. One comparison finds numbers outside of the range, infinities and NaNs, which give other floats.
// Of floats that are even over 256 bins from 0 to 1, one in two thousand is near a border; more are if the ends are far from 0 compared with a bin.
#import histogram/shared/borders
#import histogram/shared/io

// The bits of 2^23.
const ORIGIN_BITS: u32 = 0x4b000000u;

fn bin_of(word: u32) -> u32 {
#ifdef float
    let place = bitcast<u32>(fma(bitcast<f32>(word), params.scale, params.origin)) - ORIGIN_BITS;
    let has_place = place < params.places;
#else
    let place = bitcast<u32>(fma(f32(word - params.low), params.scale, params.origin)) - ORIGIN_BITS;
    let has_place = word - params.low <= params.span;
#endif
    let bin = place >> params.fraction;
    let between = place & ((1u << params.fraction) - 1u);
    // No `&&`, and one way out: SwiftShader's compiler came to no end with short circuits in what is inlined many times.
    var found = NOWHERE;
    if has_place & (between - params.margin < params.sure) {
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
