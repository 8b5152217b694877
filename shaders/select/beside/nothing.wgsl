// A selection has nothing to store beside what it keeps.

@group(0) @binding(11) var<storage, read_write> number_of_kept: array<u32>;

fn prepare_lengths(kept: u32, tile: u32, lid: u32) {
}

fn length_of(bit: u32, word: u32, lid: u32, tile: u32) -> u32 {
    return 0u;
}

fn put_length(place: u32, length: u32) {
}
