// row_top: the k best elements of short rows in order, ties by index, a workgroup a row.
//
// Reads each element once; more often if candidates overflow or many are equal. Writes keys and indices.
//
//     4 9 | 1 7 | 3 8 | 2 6, three largest      the best of four invocations: 9 7 8 6, the third of them: 7
//     bound: the end of 7's bin                 candidates 9 7 8, in order 9 8 7
//
// Winners are sorted in batches of up to `CAPACITY` candidates, mostly one. A batch of equal keys needs no sort.
//
// Cost: a row stays in registers. A candidate is compared with all others of its batch.
#import rank/shared/io
#import lib/grid/entry
#import rank/shared/four_keys
#import rank/keys/*
#import rank/shared/row
#import rank/shared/row_bins
#import rank/shared/row_candidates
#import lib/workgroup/sum_before
#import rank/shared/winners

var<workgroup> number_of: u32;

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.rows {
        return;
    }
    let row = row_span(wg.index, list[first_entry(wg.index, 1u)]);
    let held = load_row(row, at);
    let results = (params.row + wg.index) * RANKS;
    let stop = min(RANKS, row.len);
    for (var place = stop + at.lid; place < RANKS; place += WG) {
        store_winner(results + place, 0u, 0xffffffffu);
    }
    var done = 0u;
    var extremes = held.extremes;
    if COUNTS_BEST {
        // Collects all elements up to `bound`. They may be too many, or fewer than `stop`.
        let bound = bound_of_best(held.extremes.low, row, at);
        collect_all(held.keys, row, Range(lowest(), bound), at.lid);
        if at.lid == 0u {
            number_of = atomicLoad(&filled);
        }
        let number = workgroupUniformLoad(&number_of);
        if (number >= stop) & (number <= CAPACITY) {
            rank_all(results, 0u, stop, number, at.lid);
            done = stop;
        }
        extremes.high = select(bound, highest(), number < stop);
    }
    var range = extremes;
    if done < stop {
        let all = joined(extremes, extremes_beyond(row, row.len, at.lid));
        range = range_of_all(Range(all.low, select(all.high, extremes.high, COUNTS_BEST)));
    }
    let high = range.high;
    while done < stop {
        let rank = min(stop - done, CAPACITY - CAPACITY / 4u) - 1u;
        let low = range.low;
        let found = narrow(&range, rank, rank, held.keys, row, at);
        let end = range.high;
        let number = select(found.end, found.start, found.is_single == 1u);
        if number > 0u {
            collect_all(held.keys, row, Range(low, end - found.is_single), at.lid);
            rank_all(results, done, stop, number, at.lid);
        }
        if found.is_single == 1u {
            store_equal(results, done + number, stop, end, row, at);
        }
        done += found.end;
        range = Range(end + 1u, high);
        workgroupBarrier();
    }
}

// Returns the end of the bin that holds the `row.best`-th of the invocations' best keys.
fn bound_of_best(own: Key, row: RowSpan, at: Place) -> Key {
    clear_bins(at.lid);
    let has_some = 4u * at.lid < row.len;
    let range = range_of_all(Range(own, select(lowest(), own, has_some)));
    if has_some {
        atomicAdd(&bins[(own - range.low) >> bin_width(range)], 1u);
    }
    workgroupBarrier();
    let found = choose(row.best - 1u, row.best - 1u, range, at);
    return part_of(range, 0u, found.second).high;
}

// Sorts `number` candidates and stores them from rank `done` on.
fn rank_all(results: u32, done: u32, stop: u32, number: u32, lid: u32) {
    sort(number, lid);
    for (var i = lid; i < number; i += WG) {
        let own = sorted[i];
        let index = candidate_indices[own];
        var place = i;
        if atomicLoad(&taken[i]) != 1u {
            place = place_of(i, index);
        }
        if done + place < stop {
            store_winner(results + done + place, word_of(candidate_keys[own]), index);
        }
    }
}

// Returns the rank by index of a candidate among the candidates with its key.
fn place_of(at: u32, index: u32) -> u32 {
    var first = at;
    while atomicLoad(&taken[first]) == 0u {
        first -= 1u;
    }
    var place = first;
    let end = first + atomicLoad(&taken[first]);
    for (var i = first; i < end; i++) {
        place += select(0u, 1u, candidate_indices[sorted[i]] < index);
    }
    return place;
}

// Stores the elements equal to `key`, from rank `start` on.
fn store_equal(results: u32, start: u32, stop: u32, key: Key, row: RowSpan, at: Place) {
    var done = start;
    // Walks to the row's end: FXC rejects a barrier in a loop with an early exit.
    for (var i = 0u; i < row.len; i += 4u * WG) {
        let index = i + 4u * at.lid;
        var marked = 0u;
        if done < stop {
            marked = four_bits(in_range(load_vector(row, index).keys, row, index, Range(key, key)));
        }
        var place = done + sum_before(countOneBits(marked), at.lid);
        for (var left = marked; left != 0u; left &= left - 1u) {
            if place < stop {
                store_winner(results + place, word_of(key), index + firstTrailingBit(left));
            }
            place += 1u;
        }
        if at.lid == WG - 1u {
            number_of = place;
        }
        done = workgroupUniformLoad(&number_of);
    }
}
