// Winners in the output, with their indices.
#import rank/shared/output

@group(0) @binding(11) var<storage, read_write> winner_indices: array<u32>;

fn store_winner(at: u32, value: OutputValue, index: u32) {
    store_value(at, value);
    winner_indices[at] = index;
}
