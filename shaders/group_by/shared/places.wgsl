// The table of keys: two words a place, the hash of a key and its id. Behind the places are that of the greatest hash, and the number of keys. collect.wgsl
// explains it.
@group(0) @binding(9) var<storage, read_write> places: array<atomic<u32>>;

// Places for other keys, a power of two.
override PLACES: u32 = 4u;

// A place that has no key; and the id of no group.
const EMPTY_SLOT: u32 = 0xffffffffu;

// The place of the number of keys.
fn number_at() -> u32 { return PLACES + 1u; }
