// place: moves the runs in rooms of tiles to their places, and finishes the runs that reach into tiles:
//
//     rooms of tiles  a b . . | c . . . | d e . .      results  a b c d e
//
// Reads and writes each run in a room (rooms/positions.wgsl, or of a short input rooms/whole.wgsl). Each workgroup joins the groups of tiles, or the
// tiles of a short input, which saves a dispatch. A team of its invocations serves a tile. A tile closes the run that reaches into it at its own first
// run. The first invocation of all finishes the last run. Cost: with runs of 1 to 256, about a sixteenth of all.
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

// The runs before the group of a workgroup's tiles.
var<workgroup> joined: Runs;

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let first = wg.index * params.tiles_each;
    var all = no_runs();
    for (var part = 0u; part < parts(); part += WG) {
        let nth = part + lid;
        var own = no_runs();
        if nth < parts() {
            own = runs_of_part(nth);
        }
        let ahead = join(all, scan(own, at, wg));
        if nth == part_of(first) {
            joined = ahead;
        }
        all = join(all, of_all(wg));
    }
    workgroupBarrier();
    if (wg.index == 0u) & (lid == 0u) {
        number_of_runs[params.len_at] = all.count;
        vectors[TICKET / 4u][TICKET % 4u] = 0u;
        if all.count > 0u {
            results[all.count - 1u] = finish(all.acc, params.count - all.begin);
        }
    }
    let end = min(first + params.tiles_each, params.tiles);
    for (var tile = first + lid / params.team; tile < end; tile += WG / params.team) {
        place_runs(tile, lid % params.team, runs_before(tile, joined));
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
