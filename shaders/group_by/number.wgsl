// number: the id of each key in the table, which is its place in order.
//
// Reads the ordered list. Writes ids to the table; keys and their number are results, too.
//
//     list 3 7 9      table  9 . . . 7 3 . . …      ids  2 . . . 1 0 . . …
//
// Cost: a binary search for each place that has a key.
#import group_by/shared/io
#import group_by/key_bits/*
#import group_by/shared/search
#import group_by/shared/places

@group(0) @binding(1) var<storage, read_write> group_keys: array<u32>;
@group(0) @binding(11) var<storage, read_write> number_of_groups: array<u32>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let place = group_index(workgroup) * WG + lid;
    let number = min(atomicLoad(&places[2u * number_at()]), GROUPS);
    if place == 0u {
        number_of_groups[params.len_at] = number;
    }
    if place > PLACES {
        return;
    }
    let there = atomicLoad(&places[2u * place]);
    let key = select(there, EMPTY_SLOT, place == PLACES);
    var id = EMPTY_SLOT;
    if there != EMPTY_SLOT {
        let listed = search(key, 0u, number);
        // Keys that are too many are not listed.
        if listed < number && lists[params.source + listed] == key {
            id = listed;
            group_keys[id] = from_order(key);
        }
    }
    atomicStore(&places[2u * place + 1u], id);
}
