// A key is the number of its bin. One that is BINS or more belongs to none: whoever counts compares anyway; floats are looked up
// among ranges (ranges.wgsl).
#ifdef ranges
#import ranges
#else
fn bin_of(word: u32) -> u32 {
    return word;
}
#endif
