// again: comes back to tiles with more runs than had room, now that the number of all runs before them is known.
//
// Reads the pairs of these tiles once more. Writes a key and a result for each of their runs, in output order, from workgroup memory, so stores
// coalesce. It is like `runs`, but every run goes to its final place. `share` workgroups share the crowded tiles of a group; mostly there are none.
//
// Cost: keys are read twice, values once, as `runs` does not read the values of a crowded tile.
#import by_key/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import by_key/shared/run
#import by_key/shared/run_tile
#import by_key/shared/staged
#import by_key/shared/run_outputs
#import by_key/scan/*
#import by_key/shared/values

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let index = wg.index;
    let group = index / params.share;
    if group * WG >= params.tiles {
        return;
    }
    let list = crowded_at(group);
    let number = tiles[list].x;
    for (var nth = index % params.share; nth < number; nth += params.share) {
        let tile = tiles[list + 1u + nth].x;
        let own = own_pairs(tile, lid);
        let values = own_values(own.at);
        let found = scan(runs_of(own, last_run(values, own.at, own.len, own.starts)), at, wg);
        let outside = before(tile);
        store_runs(outside.count, tiles[tile].w, own, values, join(outside, found), found.count, lid);
    }
}

// Stores the key of a run, and the result of the run before it.
fn put_run(base: u32, rank: u32, key: RunKey, result: Stored) {
    let place = base + rank;
    run_keys[place] = key;
    if place > 0u {
        results[place - 1u] = result;
    }
}
