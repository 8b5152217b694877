// number: tells each group the position of its key in the sorted list.
//
// Reads the list, and looks up the id of each key. Writes positions behind the states of groups; keys and their number are results.
//
//     list 3 7 9      ids 1 0 2      position of group 0: 1, of group 1: 0, of group 2: 2
//
// Groups without a key have positions behind the last key, in the order of their ids. Cost: a lookup in storage for each group.
#import group_by/shared/key_lists
#import group_by/key_bits/*

@group(0) @binding(1) var<storage, read_write> group_keys: array<u32>;
@group(0) @binding(4) var<storage, read_write> states: array<u32>;
@group(0) @binding(11) var<storage, read_write> number_of_groups: array<u32>;

// The first of the positions.
override POSITIONS: u32 = 0u;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let position = group_index(workgroup) * WG + lid;
    let number = listed();
    if position >= GROUPS {
        return;
    }
    if position == 0u {
        number_of_groups[params.len_at] = number;
    }
    var id = position;
    if position < number {
        let key = lists[params.source + position];
        group_keys[position] = from_order(key);
        let first = two_places_of(hash(key));
        id = id_from(hash(key), first, places[first], true);
    }
    states[POSITIONS + id] = position;
}
