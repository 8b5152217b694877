// The indices of winners.

@group(0) @binding(11) var<storage, read_write> winner_indices: array<u32>;
