// Pairs ordered by parts of the groups. `offsets` has the first position of each workgroup's pairs in each part, then the number of pairs.
#import group/shared/io

@group(0) @binding(7) var<storage, read_write> parted: array<vec2<u32>>;
@group(0) @binding(8) var<storage, read_write> offsets: array<u32>;

// The number of parts, and log2 of the groups in a part.
override PARTS: u32 = 1u;
override SHIFT: u32 = 0u;
