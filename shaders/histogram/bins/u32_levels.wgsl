// Finds the bin of an integer between levels that the caller lists: the search of levels.wgsl, without an order of floats.
#import borders
#import io

fn bin_of(word: u32) -> u32 {
    // One comparison for both ends: a key below the low one wraps around to a large number.
    if word - params.low > params.span {
        return NOWHERE;
    }
    return search(word);
}
