// runs: reduces each run inside a tile and publishes a summary: run count, open first run, open last run.
//
// The place of a result is the number of runs before it, which a tile cannot know before all other tiles have counted theirs. CUDA's fast
// kernels spin until the neighbour has published its count ("decoupled look-back"); WGSL does not promise that the neighbour ever runs. So
// no workgroup waits here: a tile writes the results that it can finish into room of its own, and accumulators of its two open ends.
//
//     keys    a a a b | b b b b | b c c d | d d d d        | are borders of tiles
//     begin   a     b |         |   c   d |
//     room    a: 3    |         | c: 2    |                results of runs that begin and end in a tile
//     ends    -  b: 1 | b: 4    | b:1 d:1 | d: 4           what lies before the first run, and the last run
//
// Then `join` adds up the counts of 256 tiles and joins their ends, `join_all` does the same for groups of 256 tiles, and `place` moves the results
// to their places and finishes the runs across borders. If runs are long, keys and values are read once, and hardly anything is written.
// A tile with more runs than fit its room only counts them; `again` reduces it once all counts are known.
//
// A tile of sixteen pairs for each invocation:
//   * Where keys differ from the one before, runs begin: sixteen bits. Their number tells if there is room.
//   * An invocation folds its pairs: each starts from the beginning at the border of a run, so what remains is its last run.
//   * A scan gives every invocation the run that reaches into its pairs. It joins pairs (runs begun, accumulator): if a run begins on the right,
//     what lies on the left no longer matters. This is the segmented scan of Sengupta, Harris, Zhang and Owens (2007).
//   * Only invocations in whose pairs a run begins walk over them a second time, and write.
//
// The order of combinations depends on nothing but the positions of tiles: the same bits every time. CUB's `DeviceReduce::ReduceByKey` looks back.
#import io
#import room
#import run_tile
#import run_walk
#import scan
#import values

var<workgroup> number: atomic<u32>;
var<workgroup> first: atomic<u32>;
var<workgroup> last: atomic<u32>;

var<private> own_tile: u32;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let tile = group_index(workgroup);
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
    let has_room = runs <= ROOM;
    let begins = atomicLoad(&first);
    let is_end = (own.at <= begins) | (own.at + ITEMS > atomicLoad(&last));
    var values = Values();
    if has_room | is_end {
        values = own_values(own.at);
    }
    let ahead = scan(runs_of(own, last_run(values, own.at, own.len, own.starts)), lid);
    if (own.starts != 0u) & (has_room | (ahead.count == 0u)) {
        own_tile = tile;
        walk_over(own, values, ahead, ahead.count);
    }
    if lid == 0u {
        let sum = of_all();
        tiles[tile] = vec4(runs, begins, sum.begin, runs);
        ends[2u * tile + 1u] = sum.acc;
    }
}

// Keeps the key of a run that begins, and the result of the one before it. What lies before the first run is an end.
fn close(rank: u32, key: RunKey, acc: Acc, at: u32, len: u32) {
    if rank == 0u {
        ends[2u * own_tile] = acc;
    } else if rank <= ROOM {
        room_results[own_tile * ROOM + rank - 1u] = finish(acc, len);
    }
    if rank < ROOM {
        room_keys[own_tile * ROOM + rank] = key;
    }
}
