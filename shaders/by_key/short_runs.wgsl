// short_runs: `runs` (runs.wgsl) for a short input, in whose tiles any number of runs has room.
//
// Reads each pair once. Writes a summary for each tile, and the keys and results of its runs to the tile's room. As no tile is crowded, values
// are loaded together with keys. Runs of any length are collected in workgroup memory.
//
// Cost: the way of one workgroup from its loads to its stores.
#import by_key/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import by_key/shared/room
#import by_key/shared/run_tile
#import by_key/shared/staged
#import by_key/scan/*
#import by_key/shared/values

var<workgroup> number: u32;
var<workgroup> first_start: u32;

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let tile = wg.index;
    if tile >= params.tiles {
        return;
    }
    let own = own_pairs(tile, lid);
    let values = own_values(own.at);
    let ahead = scan(runs_of(own, last_run(values, own.at, own.len, own.starts)), at, wg);
    let sum = of_all(wg);
    if (ahead.count == 0u) & (own.starts != 0u) {
        first_start = own.at + firstTrailingBit(own.starts);
    }
    if lid == 0u {
        number = sum.count;
    }
    let runs = workgroupUniformLoad(&number);
    store_runs(tile * params.room, runs, own, values, ahead, ahead.count, lid);
    if lid == 0u {
        tiles[tile] = vec4(runs, first_start, sum.begin, runs);
        ends[2u * tile] = first_end;
        ends[2u * tile + 1u] = sum.acc;
    }
}

// Keeps the key of a run, and the result of the run before it. What lies before the first run is an end.
fn put_run(base: u32, rank: u32, key: RunKey, result: Stored) {
    room_keys[base + rank] = key;
    if rank > 0u {
        room_results[base + rank - 1u] = result;
    }
}
