// place: moves what tiles have in their rooms to its place, and finishes the runs that reach into them. Reads and writes each run that had room:
//
//     rooms of tiles  a b . . | c . . . | d e . .      results  a b c d e
//
// A team of 64 invocations serves a tile, as most tiles have few runs. Results of a tile follow those of all earlier runs. A tile closes the
// run that reaches into it at its own first run. The first invocation of all finishes the last run. Cost: keys and results are moved twice in all.
#import by_key/shared/io
#import by_key/shared/run
#import by_key/shared/room
#import by_key/shared/run_outputs

const TILE_LANES: u32 = 64u;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let nth = group_index(workgroup) * WG + lid;
    if (nth == 0u) & (params.count > 0u) {
        let groups = (params.tiles + WG - 1u) / WG;
        let all = tiles[place_of(groups)];
        results[all.x - 1u] = finish(ends[2u * params.tiles + groups], params.count - all.z);
    }
    let tile = nth / TILE_LANES;
    if tile >= params.tiles {
        return;
    }
    let summary = tiles[tile];
    if (summary.w == 0u) | (summary.w > CAPACITY) {
        return;
    }
    let ahead = before(tile);
    for (var rank = nth % TILE_LANES; rank < summary.w; rank += TILE_LANES) {
        run_keys[ahead.count + rank] = room_keys[tile * CAPACITY + rank];
        if rank + 1u < summary.w {
            results[ahead.count + rank] = room_results[tile * CAPACITY + rank];
        }
    }
    if (nth % TILE_LANES == 0u) & (ahead.count > 0u) {
        results[ahead.count - 1u] = finish(combine(ahead.acc, ends[2u * tile]), summary.y - ahead.begin);
    }
}
