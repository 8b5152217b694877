// join: scans the counts and open ends of the 256 tiles of a group, one tile per invocation. Reads and writes a summary for each tile:
//
//     runs of tiles 2 0 3 1      before each 0 2 2 5      of the group 6
//
// Each tile gets the number of runs that begin before it in its group, and what of the last one lies there; the group's totals go to the
// list of groups. Cost: 16 bytes and an accumulator for each tile, read and written.
#import by_key/shared/io
#import lib/grid/entry
#import lib/grid/slots
#import lib/workgroup/order
#import by_key/shared/run
#import by_key/shared/summaries
#import by_key/scan/*

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let group = wg.index;
    let tile = group * WG + lid;
    var own = no_runs();
    var summary = vec4<u32>();
    if tile < params.tiles {
        summary = summary_at(tile_slot(0u, tile));
        own = runs_of_tile(tile);
    }
    let ahead = scan(own, at, wg);
    if tile < params.tiles {
        put_summary(tile_slot(0u, tile), vec4(ahead.count, summary.y, ahead.begin, summary.w));
        ends[2u * tile + 1u] = ahead.acc;
    }
    if (lid == 0u) & (group * WG < params.tiles) {
        put_group(group, of_all(wg));
    }
}
