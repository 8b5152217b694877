// Two lists of keys: a dispatch reads one and writes the other.
#import group_by/shared/io
#import group_by/shared/lookup

@group(0) @binding(10) var<storage, read_write> lists: array<u32>;

// Keys in a list. Those that are too many are not there.
fn listed() -> u32 { return min(places[PLACES / 2u].z, GROUPS); }
