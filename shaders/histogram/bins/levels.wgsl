// Finds the bin of a float or an integer between levels that the application lists.
//
// Levels have any spacing, so there is no guess as for ranges (ranges.wgsl): each key takes a binary search.
#import histogram/shared/borders
#import histogram/shared/io

const GUESSES: bool = false;

fn guess(word: u32) -> u32 { return found(word); }

fn found(word: u32) -> u32 {
    let key = order(word);
    // One comparison for both ends: a key below the lowest wraps around to a large number.
    if key - params.low > params.span {
        return NOWHERE;
    }
    return search(key);
}
