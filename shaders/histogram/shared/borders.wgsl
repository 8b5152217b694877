// The borders of bins, and the search for the bin of a key. The order of floats is explained in bins/ranges.wgsl.
#import histogram/shared/io

// The first and the last key of each bin, as ordered integers. In an empty bin the last is below the first.
@group(0) @binding(5) var<storage, read> borders: array<vec2<u32>>;

fn order(word: u32) -> u32 {
#ifdef float
    let bits = select(word, 0u, word == 0x80000000u);
    return bits ^ select(0x80000000u, 0xffffffffu, bits >= 0x80000000u);
#else
    return word;
#endif
}

// The last bin whose first key is not above this one.
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
