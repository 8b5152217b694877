// merge: merges pairs of sorted runs of keys. Reads and writes each key once.
//
//     2 5 8 | 3 4 9      5 follows one key of its own run and two of the other:      2 3 4 5 8 9
//
// Cost: a binary search for each key.
#import group_by/shared/key_lists

// The place of the first key that is not less than another one, between two places of the list that is read. Keys are in order there.
fn search(key: u32, begin: u32, end: u32) -> u32 {
    var low = begin;
    var high = end;
    while low < high {
        let between = (low + high) / 2u;
        if lists[params.source + between] < key {
            low = between + 1u;
        } else {
            high = between;
        }
    }
    return low;
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let at = group_index(workgroup) * WG + lid;
    let number = listed();
    if at >= number {
        return;
    }
    let key = lists[params.source + at];
    let begin = at & ~(2u * params.run - 1u);
    let middle = min(begin + params.run, number);
    let is_second = at >= middle;
    let other = select(middle, begin, is_second);
    let end = select(min(middle + params.run, number), middle, is_second);
    lists[params.target_list + at + search(key, other, end) - middle] = key;
}
