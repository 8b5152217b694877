// join: scans the counts and open ends of the 256 tiles of a group, one tile per invocation. Reads and writes a summary for each tile:
//
//     runs of tiles 2 0 3 1      before each 0 2 2 5      of the group 6
//
// Each tile gets the number of runs that begin before it in its group, and what of the last one lies there; the group's totals go to the
// list of groups. Tiles that had no room are listed, in any order. Cost: 16 bytes and an accumulator for each tile, of 4096 pairs.
#import by_key/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import by_key/shared/run
#import by_key/scan/*

var<workgroup> crowded: atomic<u32>;

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let group = wg.index;
    if lid == 0u {
        atomicStore(&crowded, 0u);
    }
    workgroupBarrier();
    let tile = group * WG + lid;
    var own = no_runs();
    var summary = vec4<u32>();
    if tile < params.tiles {
        summary = tiles[tile];
        own = runs_in(tile);
        if summary.w > params.room {
            tiles[crowded_at(group) + 1u + atomicAdd(&crowded, 1u)] = vec4(tile);
        }
    }
    let ahead = scan(own, at, wg);
    if tile < params.tiles {
        tiles[tile] = vec4(ahead.count, summary.y, ahead.begin, summary.w);
        ends[2u * tile + 1u] = ahead.acc;
    }
    if (lid == 0u) & (group * WG < params.tiles) {
        let sum = of_all(wg);
        tiles[place_of(group)] = vec4(sum.count, 0u, sum.begin, 0u);
        tiles[crowded_at(group)] = vec4(atomicLoad(&crowded));
        ends[2u * params.tiles + group] = sum.acc;
    }
}
