// runs: reduces each run inside a tile and publishes a summary: run count, open first run, open last run.
//
// Reads each pair once. Writes a summary for each tile, and the keys and results of its runs to a room of the tile.
//
// The place of a result is the number of runs before it, so it depends on all earlier tiles. CUB waits until the neighbour has published its count;
// here no workgroup waits: a tile writes the results that it can finish to a room of its own, and the accumulators of its two open ends.
//
//     keys    a a a b | b b b b | b c c d | d d d d        | are borders of tiles
//     begin   a     b |         |   c   d |
//     room    a: 3    |         | c: 2    |                results of runs that begin and end in a tile
//     ends    -   b:1 | -   b:4 | b:1 d:1 | -   d:4        what lies before the first run, and the last run
//
// Then `join` and `join_all` add up counts and join open ends, and `place` moves the results and finishes runs across borders. A tile with more
// runs than it has room for writes only its count and ends; `again` reduces it.
//
// A tile has sixteen pairs for each invocation:
//   * Each key that differs from the one before sets a bit: a run begins. The number of bits decides if there is room.
//   * An invocation folds its pairs, starting again where a run begins: what remains is its last run.
//   * A segmented scan (Sengupta, Harris, Zhang and Owens, 2007) gives each invocation the run that reaches into its pairs.
//   * Only invocations in whose pairs a run begins walk over them a second time, and write.
//
// The order of combinations depends only on the positions of tiles and the width of subgroups, so results have the same bits every time.
//
// Cost: instructions of the walks. With runs of length 1 and 2 all five dispatches take 3.3 times as long as a read of the pairs on an NVIDIA H200, with long
// runs 1.1 times.
#import by_key/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import by_key/shared/room
#import by_key/shared/run_tile
#import by_key/shared/run_walk
#import by_key/scan/*
#import by_key/shared/values

var<workgroup> number: atomic<u32>;
var<workgroup> first: atomic<u32>;
var<workgroup> last: atomic<u32>;

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let tile = wg.index;
    if tile >= params.tiles {
        return;
    }
    if lid == 0u {
        atomicStore(&number, 0u);
        atomicStore(&first, params.count);
        atomicStore(&last, 0u);
    }
    let own = own_pairs(tile, lid);
    workgroupBarrier();
    if own.starts != 0u {
        atomicAdd(&number, countOneBits(own.starts));
        atomicMin(&first, own.at + firstTrailingBit(own.starts));
        atomicMax(&last, own.at + firstLeadingBit(own.starts));
    }
    workgroupBarrier();
    let runs = atomicLoad(&number);
    let has_room = runs <= params.room;
    let first_start = atomicLoad(&first);
    let is_end = (own.at <= first_start) | (own.at + ITEMS > atomicLoad(&last));
    var values = Values();
    if has_room | is_end {
        values = own_values(own.at);
    }
    let ahead = scan(runs_of(own, last_run(values, own.at, own.len, own.starts)), at, wg);
    if (own.starts != 0u) & (has_room | (ahead.count == 0u)) {
        walk_over(own, values, ahead, ahead.count, tile);
    }
    if lid == 0u {
        let sum = of_all(wg);
        tiles[tile] = vec4(runs, first_start, sum.begin, runs);
        ends[2u * tile + 1u] = sum.acc;
    }
}

// Keeps the key of a run that begins, and the result of the one before it. What lies before the first run is an end.
fn emit_run(tile: u32, rank: u32, key: RunKey, acc: Acc, len: u32) {
    if rank == 0u {
        ends[2u * tile] = acc;
    } else if rank <= params.room {
        room_results[tile * params.room + rank - 1u] = finish(acc, len);
    }
    if rank < params.room {
        room_keys[tile * params.room + rank] = key;
    }
}
