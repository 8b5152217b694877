// Runs in chunks. A workgroup puts the lengths of a chunk in the places of their positions, so another one has to learn from elsewhere where the chunk begins.
#import scan/shared/io

// Runs of a chunk: 16 for each invocation.
override CHUNK: u32 = 2048u;

// The position of the first run of each chunk.
@group(0) @binding(5) var<storage, read_write> chunk_starts: array<u32>;
