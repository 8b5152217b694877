// The k elements that were found, in any order.
#import io
#import keys

@group(0) @binding(12) var<storage, read_write> winners: array<Key>;
@group(0) @binding(13) var<storage, read_write> winner_indices: array<atomic<u32>>;

// The number of winners of a row.
fn winners_of_row() -> u32 {
    return min(params.k, params.count);
}

fn win(row: u32, at: u32, key: Key, index: u32) {
    winners[row * params.most + at] = key;
    atomicStore(&winner_indices[row * params.most + at], index);
}
