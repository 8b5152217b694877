// row_top: the winners of short rows, in order and with their indices, a workgroup a row.
//
// Winners are found in parts that are ranked at once: mostly one. Too many elements with one key are a part that needs no sorting.
#import rank/shared/io
#import lib/grid/entry
#import rank/shared/four_keys
#import rank/keys/*
#import rank/shared/row
#import lib/workgroup/sum_before
#import rank/shared/winners

// A number of elements.
var<workgroup> number_of: u32;

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.rows {
        return;
    }
    let own = row_span(wg.index, list[first_entry(wg.index, 1u)]);
    load_row(own, at);
    let results = (params.row + wg.index) * RANKS;
    let stop = min(RANKS, own.len);
    for (var place = stop + at.lid; place < RANKS; place += WG) {
        store_winner(results + place, 0u, 0xffffffffu);
    }
    var done = 0u;
    var high = highest();
    if COUNTS_BEST {
        // All elements as good as a certain one among the best of each invocation. They may be too many, or too few.
        cut_best(own.best, at);
        high = range.high;
        range.low = lowest();
        collect_all(at.lid);
        if at.lid == 0u {
            number_of = atomicLoad(&filled);
        }
        let number = workgroupUniformLoad(&number_of);
        if (number >= stop) & (number <= CAPACITY) {
            rank_all(results, 0u, stop, number, at.lid);
            done = stop;
        }
        high = select(high, highest(), number < stop);
    }
    if done < stop {
        load_rest(len, at.lid);
        range = range_to(select(most, high, COUNTS_BEST));
        high = range.high;
    }
    while done < stop {
        let low = range.low;
        let rank = min(stop - done, CAPACITY - CAPACITY / 4u) - 1u;
        let found = narrow(rank, rank, at);
        let end = range.high;
        var number = found.end;
        if found.is_single == 1u {
            number = found.start;
            range.high = end - 1u;
        }
        range.low = low;
        if number > 0u {
            collect_all(at.lid);
            rank_all(results, done, stop, number, at.lid);
        }
        if found.is_single == 1u {
            store_equal(results, done + number, stop, end, own.len, at);
        }
        done += found.end;
        range = Range(end + 1u, high);
        workgroupBarrier();
    }
}

// Ends the range with the bin that holds the first `best` of the invocations' best keys.
fn cut_best(best: u32, at: Place) {
    clear(at.lid);
    range = range_to(select(lowest(), least, 4u * at.lid < len));
    choose_bin_width();
    if 4u * at.lid < len {
        atomicAdd(&bins[(least - range.low) >> shift], 1u);
    }
    workgroupBarrier();
    let found = choose(best - 1u, best - 1u, at);
    narrow_to_bins(0u, found.second);
}

// Stores `number` candidates, of which the first has the rank `done`.
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

// The place of a candidate with an index, which is at another place among those with its key.
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

// Stores the elements with a key, of which the first has the rank `start`.
fn store_equal(results: u32, start: u32, stop: u32, key: Key, count: u32, at: Place) {
    range = Range(key, key);
    var done = start;
    // To the end of the row: FXC takes no barrier in a loop that ends when enough are found.
    for (var i = 0u; i < count; i += 4u * WG) {
        let index = i + 4u * at.lid;
        var marked = 0u;
        if done < stop {
            marked = four_bits(in_range(load_vector(index), index));
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
