// The lists of keys: two of them, of which one is read and the other one is written.
#import group_by/shared/io
#import group_by/shared/lookup

@group(0) @binding(10) var<storage, read_write> lists: array<u32>;

// Keys in a list. Those that are too many are not there.
fn listed() -> u32 { return min(places[PLACES / 2u].z, GROUPS); }
