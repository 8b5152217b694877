// place: moves the runs in rooms of tiles to their places, and finishes the runs that reach into tiles:
//
//     rooms of tiles  a b . . | c . . . | d e . .      results  a b c d e
//
// Reads and writes each run in a room (rooms/positions.wgsl, or of a short input rooms/whole.wgsl). A team of invocations serves a tile. A tile
// closes the run that reaches into it at its own first run. The first invocation of all finishes the last run. In a short input each workgroup
// serves a tile, and joins all tiles, which takes less time than a dispatch. Cost: with runs of 1 to 256, a twentieth of all.
#import by_key/shared/io
#import lib/grid/entry
#import lib/grid/slots
#import lib/workgroup/order
#import by_key/shared/run
#import by_key/shared/summaries
#import by_key/rooms/*
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
            own = runs_of_tile(lid);
        }
        let found = scan(own, at, wg);
        if lid == tile {
            joined = found;
        }
        workgroupBarrier();
        ahead = joined;
        all = of_all(wg);
    } else {
        let own = min(tile, params.tiles - 1u);
        all = runs_of_group(groups());
        ahead = join(runs_of_group(own / WG), runs_of_tile(own));
    }
    if (wg.index == 0u) & (lid == 0u) {
        number_of_runs[params.len_at] = all.count;
        vectors[TICKET / 4u][TICKET % 4u] = 0u;
        if all.count > 0u {
            results[all.count - 1u] = finish(all.acc, params.count - all.begin);
        }
    }
    if tile < params.tiles {
        place_runs(tile, lid % params.team, ahead);
    }
}

fn place_runs(tile: u32, member: u32, ahead: Runs) {
    let slot = tile_slot(0u, tile);
    let summary = summary_at(slot);
    let number = select(0u, summary.w, summary.w <= params.room);
    for (var rank = member; rank < number; rank += params.team) {
        put_from_room(tile, rank, number, ahead.count + rank);
    }
    if member > 0u {
        return;
    }
    if (summary.w > 0u) & (ahead.count > 0u) {
        results[ahead.count - 1u] = finish(combine(ahead.acc, ends[2u * tile]), summary.y - ahead.begin);
    }
    clear(slot);
    if tile % WG == 0u {
        clear(prefix_slot(0u, tile / WG));
    }
}
