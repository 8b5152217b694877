// Slots of groups in a workgroup's table: one for each id of a slice.
#import group/shared/pairs
#import group/shared/table_words

fn slots_of(four: FourPairs, slice: Slice) -> vec4<u32> { return four.id - vec4<u32>(slice.first); }
fn id_of(slot: u32, slice: Slice) -> u32 { return slice.first + slot; }
fn begin_slots(lid: u32) {}
