// place: moves what tiles have in their rooms to its place, and finishes the runs that reach into them. Reads and writes each run that had room:
//
//     rooms of tiles  a b . . | c . . . | d e . .      results  a b c d e
//
// A team of 64 invocations serves a tile, as most tiles of a long input have few runs. Results of a tile follow those of all earlier runs. A tile
// closes the run that reaches into it at its own first run. The first invocation of all finishes the last run. In a short input each workgroup
// serves a tile, and joins all tiles, which takes less time than a dispatch. Cost: keys and results are moved twice in all.
#import by_key/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import by_key/shared/run
#import by_key/shared/room
#import by_key/shared/run_outputs
#import by_key/scan/*

@group(0) @binding(12) var<storage, read_write> number_of_runs: array<u32>;

// The runs before the tile of a workgroup.
var<workgroup> joined: Runs;

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let tile = (wg.index * WG + lid) / params.team;
    var ahead = no_runs();
    var all = no_runs();
    if params.team == WG {
        var own = no_runs();
        if lid < params.tiles {
            own = runs_in(lid);
        }
        let found = scan(own, at, wg);
        if lid == tile {
            joined = found;
        }
        workgroupBarrier();
        ahead = joined;
        all = of_all(wg);
    } else {
        let groups = (params.tiles + WG - 1u) / WG;
        let sum = tiles[place_of(groups)];
        all = Runs(sum.x, sum.z, ends[2u * params.tiles + groups]);
        ahead = before(min(tile, params.tiles - 1u));
    }
    if (wg.index == 0u) & (lid == 0u) {
        number_of_runs[params.len_at] = all.count;
        if all.count > 0u {
            results[all.count - 1u] = finish(all.acc, params.count - all.begin);
        }
    }
    if tile < params.tiles {
        place_runs(tile, lid % params.team, ahead);
    }
}

fn place_runs(tile: u32, member: u32, ahead: Runs) {
    let summary = tiles[tile];
    if (summary.w == 0u) | (summary.w > params.room) {
        return;
    }
    for (var rank = member; rank < summary.w; rank += params.team) {
        run_keys[ahead.count + rank] = room_keys[tile * params.room + rank];
        if rank + 1u < summary.w {
            results[ahead.count + rank] = room_results[tile * params.room + rank];
        }
    }
    if (member == 0u) & (ahead.count > 0u) {
        results[ahead.count - 1u] = finish(combine(ahead.acc, ends[2u * tile]), summary.y - ahead.begin);
    }
}
