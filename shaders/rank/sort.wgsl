// sort: the candidates of the k first elements, in tiles of which each is in order.
//
// The place of a candidate in its tile is the number of those before it, so it can be counted: each is compared with all others of its
// tile, which lie in workgroup memory. All invocations of a tile load the same one at a time.
#import io
#import keys
#import ends
#import indexed

// Candidates of a tile: a power of two, and at most WG.
override TILE: u32 = 256u;

var<workgroup> tile_keys: array<Key, WG>;
var<workgroup> tile_indices: array<u32, WG>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let row = workgroup.y;
    let stop = number(row);
    let begin = lid & ~(TILE - 1u);
    for (var first = workgroup.x * WG; first < params.room; first += params.groups * WG) {
        // Past the end, candidates come that are before no other.
        var own = Candidate(highest(), 0xffffffffu);
        let is_one = first + lid < stop;
        if is_one {
            own = candidate_at(row * params.room + first + lid);
        }
        tile_keys[lid] = own.key;
        tile_indices[lid] = own.index;
        workgroupBarrier();
        if is_one {
            var place = begin;
            for (var i = begin; i < begin + TILE; i++) {
                place += select(0u, 1u, is_before(Candidate(tile_keys[i], tile_indices[i]), own));
            }
            put_candidate(row * params.room + first + place, own);
        }
        workgroupBarrier();
    }
}
