// Pairs ordered by parts of the groups. `offsets` has the first position of each workgroup's pairs in each part, then the number of pairs.
#import group/shared/io

@group(0) @binding(7) var<storage, read_write> parted: array<vec2<u32>>;
@group(0) @binding(8) var<storage, read_write> offsets: array<u32>;

// The number of parts, and log2 of the groups in a part.
override PARTS: u32 = 1u;
override SHIFT: u32 = 0u;

// The part of an id; of a key, whose hash is in its place, by the highest bits. And whether it is that of a pair, one of four.
#ifdef hashed
#import lib/lane/hash
fn part_of(hashed: u32) -> u32 { return place_of(hashed, PARTS); }
fn is_pair(id: u32, number: u32, k: u32) -> bool { return k + number >= 4u; }
#else
fn part_of(id: u32) -> u32 { return id >> SHIFT; }
fn is_pair(id: u32, number: u32, k: u32) -> bool { return id < GROUPS; }
#endif
