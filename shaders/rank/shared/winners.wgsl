// The k elements that were found, in any order: a key and an index each.
#import io
#import keys

@group(0) @binding(12) var<storage, read_write> winners: array<vec2<u32>>;

// The number of winners of a row, which may have fewer than k elements.
fn winners_of_row() -> u32 {
    return min(params.k, params.count);
}
