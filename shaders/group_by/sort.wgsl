// sort: sorts the key list in tiles. Reads and writes each key once.
//
//     9 4 7      lesser keys 2 0 1      4 7 9
//
// Keys are distinct, so a key's position in its tile is the number of smaller keys. Four keys are counted at a time.
//
// Cost: a million comparisons for a tile of 1024 keys, without barriers between them.
#import group_by/shared/key_lists

const FOURS: u32 = 256u;

var<workgroup> tile: array<vec4<u32>, FOURS>;

// Returns a key of the list. Past its end, the key is larger than all others.
fn key_at(at: u32, end: u32) -> u32 { return select(0xffffffffu, lists[params.source + at], at < end); }
fn is_less(key: u32, than: vec4<u32>) -> vec4<u32> { return select(vec4<u32>(0u), vec4<u32>(1u), vec4<u32>(key) < than); }

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let begin = 4u * FOURS * group_index(workgroup);
    let end = listed();
    if begin >= end {
        return;
    }
    for (var four = lid; four < FOURS; four += WG) {
        let at = begin + 4u * four;
        tile[four] = vec4<u32>(key_at(at, end), key_at(at + 1u, end), key_at(at + 2u, end), key_at(at + 3u, end));
    }
    workgroupBarrier();
    for (var four = lid; four < FOURS; four += WG) {
        let own = tile[four];
        var before = vec4<u32>(begin);
        for (var other = 0u; other < FOURS; other++) {
            let keys = tile[other];
            before += (is_less(keys.x, own) + is_less(keys.y, own)) + (is_less(keys.z, own) + is_less(keys.w, own));
        }
        let at = begin + 4u * four;
        #for k in 0..4: if at + $(k)u < end { lists[params.target_list + before[$k]] = own[$k]; }
    }
}
