// row_quantiles: the quantiles of short rows, a workgroup a row.
//
// Reads each element once. Writes the results.
//
//     4 9 1 7 3 8 2 6, ranks 3 and 4       keys 0 to 3: three    4 to 7: three    8 to 11: two
//     ranks 0 and 1 of keys 4 to 7         candidates 4 7 6, in order 4 6 7
//
// A rank and the next one are found together: they are mostly in one bin, or in two. Close ranks share their candidates.
//
// Cost: a row stays in registers. Bins and candidates lie in workgroup memory, and each candidate is compared with all others.
#import rank/shared/io
#import lib/grid/entry
#import rank/keys/*
#import rank/shared/output
#import rank/results/*
#import rank/shared/row
#import rank/shared/row_bins
#import rank/shared/row_candidates

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.rows {
        return;
    }
    let first = first_entry(wg.index, RANKS);
    // It arrives with the row, unless it says where the row is.
    var asked = list[first];
    let row = row_span(wg.index, asked);
    let held = load_row(row, at);
    let all = range_of_all(held.extremes);
    var range = all;
    var known = Ranks(0u, 0u, 0u);
    var key = lowest();
    // The two elements of each quantile, one after the other.
    for (var side = 0u; side < 2u * RANKS; side++) {
        let rank = asked.x;
        let way = asked.y;
        let next = rank + select(0u, 1u, way != 0u);
        let side_rank = select(rank, next, (side & 1u) == 1u);
        if (rank < row.len) & ((side_rank < known.start) | (side_rank >= known.end)) {
            range = all;
            known = narrow(&range, side_rank, next, held.keys, row, at);
            if known.is_single == 0u {
                collect_all(held.keys, row, range, at.lid);
                sort(known.end - known.start, at.lid);
            }
        }
        if (side & 1u) == 1u {
            if at.lid == 0u {
                var found = missing();
                if rank < row.len {
                    let has_nan = any_is_nan(vec4(all.high));
                    found = result(key, key_at(side_rank, known, range), bitcast<f32>(way), has_nan);
                }
                store_value((params.row + wg.index) * RANKS + (side >> 1u), found);
            }
            asked = list[first + min((side >> 1u) + 1u, RANKS - 1u)];
        } else if rank < row.len {
            key = key_at(side_rank, known, range);
        }
    }
}

fn key_at(rank: u32, known: Ranks, range: Range) -> Key {
    if known.is_single == 1u {
        return range.low;
    }
    return candidate_keys[sorted[rank - known.start]];
}
