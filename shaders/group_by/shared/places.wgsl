// The table of keys: two words a place, the key and its id. Behind the places are that of the greatest key, and the number of keys. collect.wgsl
// explains it.
#import group_by/shared/io

@group(0) @binding(9) var<storage, read_write> places: array<atomic<u32>>;

// A place that has no key; and the id of no group.
const EMPTY_SLOT: u32 = 0xffffffffu;

// The place of the number of keys.
fn number_at() -> u32 { return PLACES + 1u; }
