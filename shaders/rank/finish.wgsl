// finish: the results, from the keys that were found.
//
// Reads the search of each rank, and where the next rank has another key the candidates; or the input, if the bracket missed. Writes the results.
//
//     1 3 5 9, median      rank 1.5: the key of rank 1 is 3, the lowest key above is 5, and half of the way lies 4
//
// A quantile may lie between two elements. The second has the same key, if enough elements have it.
//
// Cost: for a quantile between two keys one sweep over its candidates.
#import rank/shared/io
#import rank/shared/grid_entry
#import rank/shared/input
#import rank/shared/input_words
#import rank/keys/*
#import rank/order/*
#import rank/shared/least
#import rank/shared/list
#import rank/shared/search
#import rank/shared/ends
#import rank/shared/ticket
#import rank/shared/output
#import rank/results/*

@group(0) @binding(7) var<storage, read> candidates: array<Key>;

#ifdef bits_64
// True: results are the two elements between which they lie, and the host finds the number between them.
override IN_PAIRS: bool = false;
#endif

fn kernel(workgroup: vec2<u32>, lid: u32) {
    let rank = workgroup.y;
    let search = search_of(rank, lid);
    let needs_next = (asked_for(rank).y != 0u) & (search.left + 1u >= search.equal);
    if !needs_next {
        if (params.is_last == 1u) & (workgroup.x == 0u) & (lid == 0u) {
            store(rank, search.base, search.base);
        }
        return;
    }
    let waits = (params.is_last == 0u) & (search.among == CANDIDATES);
    if waits | (workgroup.x >= search.groups) {
        return;
    }
    let own = workgroup.x * WG + lid;
    var next = highest();
    if search.among == ALL {
        let row = row_of(rank / RANKS);
        for (var at = row.begin + own; at < row.end; at += params.grid_row * WG) {
            next = nearer(next, element(at), search.base);
        }
    } else {
        let stop = number(rank);
        for (var i = own; i < stop; i += search.groups * WG) {
            next = nearer(next, candidates[rank * params.room + i], search.base);
        }
    }
    keep_least(next, rank, workgroup.x, lid);
    if params.is_last == 0u {
        return;
    }
    if !is_last_of(search.groups, rank, lid) {
        return;
    }
    next = kept_least(rank, lid);
    if lid == 0u {
        if (search.among == CANDIDATES) & (known(rank, AT_HIGH) > 0u) {
            next = nearer(next, known_key(rank, HIGH), search.base);
        }
        store(rank, search.base, next);
    }
}

// The lower one of two keys, if the second is above the base.
fn nearer(next: Key, key: Key, base: Key) -> Key { return select(next, lower(next, key), is_below(base, key)); }

fn store(rank: u32, key: Key, next: Key) {
    let asked = asked_for(rank);
    let place = params.row * RANKS + rank;
    let way = bitcast<f32>(asked.y);
    let has_nan = known(rank, NANS) == 1u;
    var found = missing();
    if asked.x < params.count {
        found = result(key, next, way, has_nan);
    }
#ifdef bits_64
    if IN_PAIRS {
        store_value(2u * place, found);
        store_value(2u * place + 1u, result(next, key, way, has_nan));
        return;
    }
#endif
    store_value(place, found);
}
