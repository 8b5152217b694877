// The output with the number of runs.

@group(0) @binding(12) var<storage, read_write> number_of_runs: array<u32>;
