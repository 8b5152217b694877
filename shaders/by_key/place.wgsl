// place: moves what tiles have in their rooms to its place, and finishes the runs that reach into them.
//
// A team of 64 invocations serves a tile, as most tiles have few runs. Results of a tile follow those of all earlier runs. A tile closes the
// run that reaches into it at its own first run. The first invocation of all finishes the last run.
#import by_key/shared/io
#import by_key/shared/run
#import by_key/shared/room
#import by_key/shared/run_outputs

const TEAM: u32 = 64u;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let nth = group_index(workgroup) * WG + lid;
    if (nth == 0u) & (params.count > 0u) {
        let groups = (params.tiles + WG - 1u) / WG;
        let all = tiles[place_of(groups)];
        results[all.x - 1u] = finish(ends[2u * params.tiles + groups], params.count - all.z);
    }
    let tile = nth / TEAM;
    if tile >= params.tiles {
        return;
    }
    let told = tiles[tile];
    if (told.w == 0u) | (told.w > ROOM) {
        return;
    }
    let ahead = before(tile);
    for (var rank = nth % TEAM; rank < told.w; rank += TEAM) {
        run_keys[ahead.count + rank] = room_keys[tile * ROOM + rank];
        if rank + 1u < told.w {
            results[ahead.count + rank] = room_results[tile * ROOM + rank];
        }
    }
    if (nth % TEAM == 0u) & (ahead.count > 0u) {
        results[ahead.count - 1u] = finish(combine(ahead.acc, ends[2u * tile]), told.y - ahead.begin);
    }
}
