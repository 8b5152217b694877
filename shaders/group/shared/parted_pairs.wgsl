// Pairs by parts of the groups, and the first place of each workgroup's pairs of each part; the last of these is the number of pairs.
#import group/shared/io

@group(0) @binding(7) var<storage, read_write> parted: array<vec2<u32>>;
@group(0) @binding(8) var<storage, read_write> offsets: array<u32>;

// Parts, and the groups of each as a power of two.
override PARTS: u32 = 1u;
override SHIFT: u32 = 0u;
