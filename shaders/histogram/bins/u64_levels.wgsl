// Finds the bin of a 64-bit integer between levels that the application lists.
//
// Keys and levels are pairs of words, the lower one first, so no device feature is needed. A search takes at most eighteen loads of eight bytes.
#import histogram/shared/io

// The first key of each bin, and the last key of the last bin.
@group(0) @binding(5) var<storage, read> levels: array<vec2<u32>>;

fn is_below(a: vec2<u32>, b: vec2<u32>) -> bool { return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x)); }

const GUESSES: bool = false;

fn guess(key: vec2<u32>) -> u32 { return found(key); }

fn found(key: vec2<u32>) -> u32 {
    if is_below(key, levels[0]) | is_below(levels[BINS], key) {
        return NOWHERE;
    }
    // The last bin whose first key is not above `key`.
    var at = 0u;
    for (var width = 32768u; width > 0u; width >>= 1u) {
        if at + width < BINS {
            if !is_below(key, levels[at + width]) {
                at += width;
            }
        }
    }
    return at;
}
