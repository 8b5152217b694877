// runs: reduces each run inside of a tile, and stores it at its place.
//
// Reads each pair once, and keys of runs again, from the cache. Writes a summary for each tile, and its runs. The place of a result is the number of
// runs before it, so it depends on all earlier tiles:
//
//     keys    a a a b | b b b b | b c c d | d d d d        | are borders of tiles
//     begin   a     b |         |   c   d |
//     result  a: 3    |         | c: 2    |                of runs that begin and end in a tile
//     ends    -   b:1 | -   b:4 | b:1 d:1 | -   d:4        what lies before the first run, and the last run
//
// In a long input a tile publishes how many runs begin in it (places/chained.wgsl). A tile with many runs looks for the numbers of earlier tiles, and
// stores its runs, from workgroup memory, so that stores coalesce. A tile with few leaves them in a room of its own, as positions and accumulators. In a
// short input all tiles do, with keys and results (places/apart.wgsl). Then `join` and `place` join open ends, and `place` finishes all other runs.
//
// A tile has sixteen pairs for each invocation:
//   * Each key that differs from the one before sets a bit: a run begins. The number of bits is published before values are used.
//   * An invocation folds its pairs, starting again where a run begins: what remains is its last run.
//   * A segmented scan (Sengupta, Harris, Zhang and Owens, 2007) gives each invocation the run that reaches into its pairs.
//   * Only invocations in whose pairs a run begins walk over them a second time.
//
// The order of combinations depends only on the positions of tiles and the width of subgroups, so results have the same bits every time.
//
// Cost: 2^28 pairs take 580 us with long runs and 1229 us with runs of 1 and 2, on an NVIDIA H200. A read of the pairs takes 477 us.
#import by_key/shared/io
#import lib/grid/entry
#import lib/grid/links
#import lib/grid/slots
#import lib/workgroup/order
#import by_key/places/*
#import by_key/shared/run
#import by_key/shared/run_tile
#import by_key/shared/run_walk
#import by_key/scan/*
#import by_key/shared/values

// The runs that begin in the tile.
var<workgroup> in_tile: u32;

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    if wg.index >= params.tiles {
        return;
    }
    let tile = begin_tile(wg.index, lid);
    let own = own_pairs(tile, lid, at);
    let values = own_values(own.at, is_whole(tile));
    publish(tile, own.starts, lid);
    let ahead = scan(runs_of(own, last_run(values, own.at, own.len, own.starts)), at, wg);
    let sum = of_all(wg);
    if lid == 0u {
        in_tile = sum.count;
    }
    let runs = workgroupUniformLoad(&in_tile);
    let is_placed = needs_place(tile, runs);
    var base = 0u;
    var begin = 0u;
    var first_start = 0u;
    for (var first = 0u; first < max(runs, u32(is_placed)); first += STAGE) {
        if (ahead.count < first + STAGE) & (ahead.count + countOneBits(own.starts) > first) {
            walk_over(own, values, ahead.acc, ahead.count - first);
        }
        if is_placed && first == 0u {
            base = place_of(tile, runs, at, wg);
        }
        workgroupBarrier();
        if lid == 0u && first == 0u {
            first_start = staged_starts[0];
            ends[2u * tile] = staged_accs[0];
        }
        let collected = min(runs - first, STAGE);
        if has_room(runs) {
            put_in_room(tile, collected, lid);
        } else {
            begin = put_runs(base, first, collected, begin, lid);
        }
        workgroupBarrier();
    }
    if lid == 0u {
        let summary = vec4(runs, first_start, sum.begin, runs);
        #for k in 0..4: atomicStore(&links[tile_slot(0u, tile) + $(4 + k)u], summary[$k]);
        ends[2u * tile + 1u] = sum.acc;
    }
}

// Stores the keys of collected runs, and the result of the run before each, if that begins in the tile, too. `base`: the place of the tile's first run;
// `first`: the runs that were collected before; `begin`: where the last of these begins. Returns where the last run begins, if there are STAGE.
fn put_runs(base: u32, first: u32, runs: u32, begin: u32, lid: u32) -> u32 {
    // All keys are in flight at once.
    #for k in 0..EACH: let start$k = staged_starts[min(lid + $(k)u * WG, STAGE - 1u)];
    #for k in 0..EACH: let key$k = key(start$k);
#for k in 0..EACH
    put_run(base + first, lid + $(k)u * WG, runs, first > 0u, key$k, start$k, begin);
#end
    return staged_starts[STAGE - 1u];
}

fn put_run(base: u32, nth: u32, runs: u32, follows: bool, key: RunKey, start: u32, begin: u32) {
    if nth >= runs {
        return;
    }
    run_keys[base + nth] = key;
    if follows || nth > 0u {
        let before = select(staged_starts[max(nth, 1u) - 1u], begin, nth == 0u);
        results[base + nth - 1u] = finish(staged_accs[nth], start - before);
    }
}
