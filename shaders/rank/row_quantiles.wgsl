// row_quantiles: the quantiles of short rows, a workgroup a row.
//
// A rank and the next one are mostly in one bin, or in two with nothing between, and are found together. Ranks that lie close to each
// other share their candidates.
#import io
#import entry
#import keys
#import list
#import result
#import row

@group(0) @binding(1) var<storage, read_write> output: array<u32>;

var<workgroup> sorted: array<Key, ROOM>;

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.rows {
        return;
    }
    load_row(wg.index, at);
    let all = range;
    var known = Ranks(0u, 0u, 0u);
    var key = lowest();
    // The two elements of each quantile, one after the other.
    for (var side = 0u; side < 2u * RANKS; side++) {
        let rank = list[side >> 1u].x;
        let way = list[side >> 1u].y;
        let next = rank + select(0u, 1u, way != 0u);
        let wanted = select(rank, next, (side & 1u) == 1u);
        if (rank < params.count) & ((wanted < known.start) | (wanted >= known.end)) {
            range = all;
            known = find(wanted, next, at);
        }
        if (side & 1u) == 0u {
            key = key_at(wanted, known);
        } else if at.lid == 0u {
            var found = missing();
            if rank < params.count {
                let has_nan = any_is_nan(vec4(all.high));
                found = result(key, key_at(wanted, known), bitcast<f32>(way), has_nan);
            }
            output[(params.row + wg.index) * RANKS + (side >> 1u)] = found;
        }
    }
}

fn find(rank: u32, next: u32, at: Place) -> Ranks {
    let known = narrow(rank, next, at);
    if known.is_single == 0u {
        collect_all(at.lid);
        let number = known.end - known.start;
        for (var i = at.lid; i < number; i += WG) {
            let key = candidate_keys[i >> 2u][i & 3u];
            let rank = keys_below(key, number);
            sorted[rank + take(rank)] = key;
        }
        workgroupBarrier();
    }
    return known;
}

fn key_at(rank: u32, known: Ranks) -> Key {
    if known.is_single == 1u {
        return range.low;
    }
    return sorted[rank - known.start];
}
