// sample: keys at places that are spread over a row, and everything set to zero.
//
// Reads 2^12 to 2^18 elements of a row. Writes their keys, and zeros to the counters and states of all ranks.
//
//     12 elements, a sample of 3      e e e e | e e e e | e e e e      a part for each key
//     a hash picks one of a part          ^     ^               ^
//
// So periodic elements are sampled evenly, and the sample of a sorted row is nearly exact. The result never depends on the sample, only the time.
//
// Cost: a sector of memory for each key.
#import rank/shared/io
#import rank/shared/grid_entry
#import rank/shared/input
#import rank/shared/input_words
#import lib/lane/full_product
#import lib/lane/hash

@group(0) @binding(6) var<storage, read_write> sampled: array<Key>;
@group(0) @binding(8) var<storage, read_write> bins: array<u32>;

const BINS: u32 = 2048u;

// A place in the part with this number: the hash, as a fraction of the part's length.
fn place(part: u32) -> u32 {
    let length = params.count / params.samples;
    return part * length + full_product(hash(part), length).y;
}

fn kernel(workgroup: vec2<u32>, lid: u32) {
    let row = workgroup.y;
    let own = workgroup.x * WG + lid;
    if own < params.samples {
        let at = place(own) - params.index;
        if at < params.len {
            sampled[row * params.samples + own] = element(row_of(row).begin + at);
        }
    }
    // Only before the first elements.
    if params.index == 0u {
        for (var i = own; i < RANKS * STATE; i += params.grid_row * WG) {
            atomicStore(&state[row * RANKS * STATE + i], 0u);
        }
        for (var i = own; i < RANKS * BINS; i += params.grid_row * WG) {
            bins[row * RANKS * BINS + i] = 0u;
        }
    }
}
