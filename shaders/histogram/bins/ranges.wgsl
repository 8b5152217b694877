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
// So every adapter and the CPU give the same counts. Integers between levels at equal distances are found in the same way. The guess is
// a product and a sum, which give a float from 2^23 to 2^24, whose units are 1. Its last bits are the bin, and below it the place between
// its borders in `fraction` bits. Borders lie at `unsure / 2`, so one comparison tells if a number is near one:
//
//     place between borders   0 … unsure - 1   unsure … 2^fraction - 1
//                             near a border    in the bin
//
// Places beyond 2^24, whose units are 2, are near the last border. Infinities, NaNs and numbers that are clearly outside of the range give other floats, which are bins that nothing counts. Of floats that are
// even over 256 bins from 0 to 1, one in 2300 is near a border; more are if the ends are far from 0 compared with a bin.
#import histogram/shared/borders
#import histogram/shared/io

const GUESSES: bool = true;
// The bits of 2^23.
const ORIGIN_BITS: u32 = 0x4b000000u;

fn place_of(word: u32) -> u32 {
#ifdef float
    let x = bitcast<f32>(word);
#else
    let x = f32(word - params.low);
#endif
    return bitcast<u32>(fma(x, params.scale, params.origin)) - ORIGIN_BITS;
}

// The bin of a number that is not near a border, BINS or more if it is outside of the range, and UNSURE near a border.
fn guess(word: u32) -> u32 {
    let place = place_of(word);
    let between = place & ((1u << params.fraction) - 1u);
    let is_unsure = (between < params.unsure) & (place <= params.places);
    return select(place >> params.fraction, UNSURE, is_unsure);
}

fn found(word: u32) -> u32 {
    let key = order(word);
    // A clamp in integers: the index stays in bounds, whatever the float computation gave.
    var bin = min((place_of(word) - params.unsure / 2u) >> params.fraction, BINS - 1u);
    let range = borders[bin];
    // One comparison for both ends: a key below the low one wraps around to a large number.
    let is_inside = key - params.low <= params.span;
    // No early return, and no `&&`: SwiftShader's compiler came to no end with short circuits in what is inlined many times.
    if is_inside & ((key < range.x) | (key > range.y)) {
        bin = search(key);
    }
    return select(NOWHERE, bin, is_inside);
}
