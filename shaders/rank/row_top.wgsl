// row_top: the winners of short rows, in order and with their indices, a workgroup a row.
//
// Winners are found in parts of which each has no more elements than are ranked at once: mostly one.
#import io
#import entry
#import keys
#import row

@group(0) @binding(1) var<storage, read_write> output: array<u32>;

// The ranks of candidates by their keys alone, and the number of candidates.
var<workgroup> candidate_ranks: array<u32, ROOM>;
var<workgroup> collected: u32;

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.rows {
        return;
    }
    load_row(wg.index, at);
    let row = params.row + wg.index;
    let stop = min(RANKS, params.count);
    for (var place = stop + at.lid; place < RANKS; place += WG) {
        store(row, place, 0u, 0xffffffffu);
    }
    var done = 0u;
    var start = range;
    if COUNTS_BEST {
        // All elements as good as the last winner among the best of each invocation. They may be too many.
        cut_best(stop - 1u, at);
        collect_all(at.lid);
        if at.lid == 0u {
            collected = atomicLoad(&filled);
        }
        let number = workgroupUniformLoad(&collected);
        if number <= ROOM {
            rank_all(row, 0u, stop, number, at.lid);
            done = stop;
        }
        start.high = highest();
        workgroupBarrier();
    }
    while done < stop {
        range = start;
        let rank = min(stop - done, ROOM - BLOCKS) - 1u;
        let number = narrow(rank, rank, at).end;
        range.low = start.low;
        range.first = start.first;
        collect_all(at.lid);
        rank_all(row, done, stop, number, at.lid);
        done += number;
        // The element after the last one.
        let ends_key = range.last == params.count - 1u;
        start.low = range.high + select(0u, 1u, ends_key);
        start.first = select(range.last + 1u, 0u, ends_key);
        workgroupBarrier();
    }
}

// Makes the range end with the bin of a rank among the best keys of each invocation.
fn cut_best(rank: u32, at: Place) {
    aim();
    if at.lid < len {
        atomicAdd(&bins[(least - range.low) >> shift], 1u);
    }
    workgroupBarrier();
    let found = choose(rank, rank, at);
    // Among equal keys there is nothing to cut.
    if range.low != range.high {
        cut(0u, found.second);
    }
}

// Stores so many candidates, of which the first has the rank `done`.
fn rank_all(row: u32, done: u32, stop: u32, number: u32, lid: u32) {
    for (var i = lid; i < number; i += WG) {
        candidate_ranks[i] = keys_below(candidate_keys[i >> 2u][i & 3u], number);
        take(candidate_ranks[i]);
    }
    workgroupBarrier();
    for (var i = lid; i < number; i += WG) {
        let key = candidate_keys[i >> 2u][i & 3u];
        let index = candidate_indices[i];
        var place = done + candidate_ranks[i];
        if atomicLoad(&taken[candidate_ranks[i]]) > 1u {
            place += equals_before(key, index, number);
        }
        if place < stop {
            store(row, place, word_of(key), index);
        }
    }
}

// The number of candidates, of so many, with this key and a lower index.
fn equals_before(key: Key, index: u32, number: u32) -> u32 {
    var before = 0u;
    for (var i = 0u; i < number; i++) {
        let is_equal = candidate_keys[i >> 2u][i & 3u] == key;
        before += select(0u, 1u, is_equal & (candidate_indices[i] < index));
    }
    return before;
}

fn store(row: u32, place: u32, word: u32, index: u32) {
    output[row * RANKS + place] = word;
    output[params.indices + row * RANKS + place] = index;
}
