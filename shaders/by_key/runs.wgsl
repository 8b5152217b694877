// runs: reduces each run inside of a tile, and stores it at its place.
//
// Reads each pair once. Writes a summary for each tile, and a key and a result for each run. The place of a result is the number of runs before it, so
// it depends on all earlier tiles:
//
//     keys    a a a b | b b b b | b c c d | d d d d        | are borders of tiles
//     begin   a     b |         |   c   d |
//     result  a: 3    |         | c: 2    |                of runs that begin and end in a tile
//     ends    -   b:1 | -   b:4 | b:1 d:1 | -   d:4        what lies before the first run, and the last run
//
// A tile publishes how many runs begin in it (lib/grid/chain.wgsl). A tile with many runs collects them in workgroup memory, so that stores coalesce,
// and looks for the numbers of earlier tiles. A tile with few waits for nobody: it leaves them in a room of its own, as positions and accumulators. Then
// `join` and `join_all` add up numbers and join open ends, and `place` finishes runs across borders, and those in rooms.
//
// A tile has sixteen pairs for each invocation:
//   * Each key that differs from the one before sets a bit: a run begins. The number of bits is published before anything else is computed.
//   * An invocation folds its pairs, starting again where a run begins: what remains is its last run.
//   * A segmented scan (Sengupta, Harris, Zhang and Owens, 2007) gives each invocation the run that reaches into its pairs.
//   * Only invocations in whose pairs a run begins walk over them a second time.
//
// The order of combinations depends only on the positions of tiles and the width of subgroups, so results have the same bits every time. No ticket
// hands tiles out, as it would delay their loads: a tile that has not begun is no worse than one that makes no progress.
//
// Cost: a read of the pairs, 477 us of 2^28 on an NVIDIA H200, takes 550 to 565 with long runs. With runs of 1 and 2 it takes 1200, a third of it for
// stores.
#import by_key/shared/io
#import lib/grid/chain
#import lib/grid/entry
#import lib/grid/links
#import lib/grid/slots
#import lib/workgroup/order
#import lib/workgroup/through/*
#import by_key/shared/run
#import by_key/shared/run_outputs
#import by_key/shared/run_tile
#import by_key/shared/run_walk
#import by_key/scan/*
#import by_key/shared/values

// The runs that begin in the tile, while they are counted, and once they are.
var<workgroup> number: atomic<u32>;
var<workgroup> in_tile: u32;

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    if wg.index >= params.tiles {
        return;
    }
    let tile = select(wg.index, params.tiles - 1u - wg.index, REVERSED);
    if lid == 0u {
        atomicStore(&number, 0u);
        atomicStore(&missing, NOTHING);
    }
    let own = own_pairs(tile, lid, at);
    let values = own_values(own.at, is_whole(tile));
    workgroupBarrier();
    atomicAdd(&number, countOneBits(own.starts));
#ifdef tested
    if lid == 0u {
        stall(tile);
    }
#endif
    workgroupBarrier();
    if lid == 0u {
        put_words(tile_slot(0u, tile), to_words(atomicLoad(&number)));
    }
    let ahead = scan(runs_of(own, last_run(values, own.at, own.len, own.starts)), at, wg);
    let sum = of_all(wg);
    if lid == 0u {
        in_tile = sum.count;
    }
    let runs = workgroupUniformLoad(&in_tile);
    let has_room = runs <= params.room;
    let looks = !has_room || ((tile + 1u) % BLOCK == 0u && tile + 1u < params.tiles);
    var base = 0u;
    var begin = 0u;
    var first_start = 0u;
    for (var first = 0u; first < max(runs, u32(looks)); first += STAGE) {
        if (ahead.count < first + STAGE) & (ahead.count + countOneBits(own.starts) > first) {
            walk_over(own, values, ahead.acc, ahead.count - first);
        }
        if looks && first == 0u {
            base = count_before(tile, runs, at, wg);
        }
        workgroupBarrier();
        if lid == 0u && first == 0u {
            first_start = staged_starts[0];
            ends[2u * tile] = staged_accs[0];
        }
        let collected = min(runs - first, STAGE);
        if has_room {
            put_in_room(tile, first, collected, lid);
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

fn put_in_room(tile: u32, first: u32, runs: u32, lid: u32) {
    for (var nth = lid; nth < runs; nth += WG) {
        atomicStore(&links[room_in_links(tile) + first + nth], staged_starts[nth]);
        ends[room_in_ends(tile) + first + nth] = staged_accs[nth];
    }
}

// Stores the keys of the collected runs, and the result of the run before each, if that begins in the tile, too. `base`: the place of the tile's first
// run; `first`: the runs that were collected before; `begin`: where the last of these begins. Returns where the last run begins, if all are collected.
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

// The number of runs that begin before a tile. At the end of a block it is published for the next one.
fn count_before(tile: u32, runs: u32, at: Place, wg: Workgroup) -> u32 {
    let lid = order_in_group(at, wg);
    var work = tile;
    var starts = runs;
    loop {
        let missed = find_before(0u, work, 0u, at, wg);
        if missed == NOTHING {
            if lid == WG - 1u && (work + 1u) % BLOCK == 0u {
                put_words(prefix_slot(0u, (work + 1u) / BLOCK), to_words(before + starts));
            }
            if work == tile {
                break;
            }
        }
        // Tiles whose numbers or prefixes are missing come in between.
        work = tile_for(missed, work, tile);
        starts = through(count_starts((work * WG + lid) * ITEMS), WG, at, wg);
        if lid == WG - 1u {
            put_words(tile_slot(0u, work), to_words(starts));
        }
#ifdef tested
        if work != tile && lid == 0u {
            count_computed(missed);
        }
#endif
    }
    return before;
}
