// number: the id of each key in the table, which is its place in order. Keys and their number are results, too.
#import io
#import key_bits
#import places

@group(0) @binding(10) var<storage, read> lists: array<u32>;
@group(0) @binding(1) var<storage, read_write> group_keys: array<u32>;
@group(0) @binding(11) var<storage, read_write> number_of_groups: array<u32>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let place = group_index(workgroup) * WG + lid;
    let number = min(atomicLoad(&places[2u * number_at()]), GROUPS);
    if place == 0u {
        number_of_groups[0] = number;
    }
    if place > PLACES {
        return;
    }
    let there = atomicLoad(&places[2u * place]);
    let key = select(there, FREE, place == PLACES);
    var id = FREE;
    if there != FREE {
        var low = 0u;
        var high = number;
        while low < high {
            let between = (low + high) / 2u;
            if lists[params.source + between] < key {
                low = between + 1u;
            } else {
                high = between;
            }
        }
        // Keys that are too many are not listed.
        if low < number && lists[params.source + low] == key {
            id = low;
            group_keys[id] = from_order(key);
        }
    }
    atomicStore(&places[2u * place + 1u], id);
}
