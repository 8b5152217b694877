// merge: every two runs of keys that are in order become one.
//
// The place of a key in the new run is its place in its own, and as many more as keys of the other run are less, which a binary search finds.
#import io
#import key_lists

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
    var low = select(middle, begin, is_second);
    var high = select(min(middle + params.run, number), middle, is_second);
    while low < high {
        let between = (low + high) / 2u;
        if lists[params.source + between] < key {
            low = between + 1u;
        } else {
            high = between;
        }
    }
    lists[params.target_list + at + low - middle] = key;
}
