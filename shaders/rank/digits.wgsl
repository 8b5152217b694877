// digits: finds the next digit of each rank's key by counting.
//
// Reads the candidates of each rank; after a missed bracket, the whole input. Writes counters, and at the end the rank's `Search`.
//
//     rank 5, keys 1xx                 two unknown bits, the lowest key is 100
//     counted by the next bit          10x: 4 keys    11x: 7 keys
//     rank 5 - 4 = 1 of keys 11x       one unknown bit, the lowest key is 110
//
// A search holds a lowest key and a number of unknown bits: the key is less than 2^`bits` above it. A digit has eleven bits, not one. The GPU chooses
// candidates or input, so the grid fits both, and surplus workgroups return at once. The last workgroup, found by a ticket, chooses the digit.
//
// Cost: at most three dispatches for a key of 32 bits, six for one of 64. Each reads about 1/64 of the input per rank, from the cache.
#import rank/shared/io
#import rank/shared/grid_entry
#import rank/shared/input
#import rank/shared/input_words
#import rank/keys/*
#import rank/order/*
#import rank/shared/search
#import rank/shared/ends
#import rank/shared/choose
#import rank/shared/ticket

@group(0) @binding(7) var<storage, read> candidates: array<StoredKeys>;
// True for top-k: only missed brackets are searched, and the final key becomes the threshold of another sweep.
override OF_TOP: bool = false;

@group(0) @binding(8) var<storage, read_write> bins: array<atomic<u32>>;

fn kernel(workgroup: vec2<u32>, lid: u32) {
    let rank = workgroup.y;
    let search = search_of(rank, lid);
    if (search.bits == 0u) | (OF_TOP & (search.among == CANDIDATES)) {
        return;
    }
    // Candidates are counted only in the last window's dispatch.
    let waits = (params.is_last == 0u) & (search.among == CANDIDATES);
    if waits | (workgroup.x >= search.groups) {
        return;
    }
    clear_tally(lid);
    workgroupBarrier();
    let shift = max(search.bits, DIGIT) - DIGIT;
    let own = workgroup.x * WG + lid;
    if search.among == ALL {
        count_all(rank / RANKS, search.base, shift, own);
    } else {
        count_candidates(rank, search, shift, own);
    }
    workgroupBarrier();
    for (var bin = lid; bin < BINS; bin += WG) {
        let number = atomicLoad(&tally[bin]);
        if number > 0u {
            atomicAdd(&bins[rank * BINS + bin], number);
        }
    }
    if params.is_last == 0u {
        return;
    }
    if !is_last_of(search.groups, rank, lid) {
        return;
    }
    for (var bin = lid; bin < BINS; bin += WG) {
        atomicStore(&tally[bin], atomicLoad(&bins[rank * BINS + bin]));
        atomicStore(&bins[rank * BINS + bin], 0u);
    }
    workgroupBarrier();
    let found = choose(search.left, lid);
    if lid == 0u {
        let base = above(search.base, found.digit, shift);
        if OF_TOP & (search.among == ALL) & (shift == 0u) {
            put_key(rank, HIGH, base);
            put(rank, BETWEEN, 0u);
            put(rank, AT_HIGH, 0u);
            put(rank, ENDPOINT_REPEATS, HIGH_REPEATS);
        }
        keep_search(rank, Search(search.among, search.groups, base, shift, search.left - found.before, found.equal));
    }
}

fn count_candidates(rank: u32, search: Search, shift: u32, own: u32) {
    let stop = number(rank);
    let first = rank * (params.room / 4u);
    let step = search.groups * WG;
    let last = (max(stop, 1u) - 1u) / 4u;
    for (var at = own; 4u * at < stop; at += 4u * step) {
        let a = keys_in(candidates[first + at]);
        let b = keys_in(candidates[first + min(at + step, last)]);
        let c = keys_in(candidates[first + min(at + 2u * step, last)]);
        let d = keys_in(candidates[first + min(at + 3u * step, last)]);
        count_digits(a, 4u * at, stop, search.base, shift);
        count_digits(b, 4u * (at + step), stop, search.base, shift);
        count_digits(c, 4u * (at + 2u * step), stop, search.base, shift);
        count_digits(d, 4u * (at + 3u * step), stop, search.base, shift);
    }
}

fn count_all(which: u32, base: Key, shift: u32, own: u32) {
    let row = row_of(which);
    if own < singles(row) {
        let key = element(single(row, own));
        count_digits(four(key, key, key, key), 0u, 1u, base, shift);
    }
    for (var at = row.begin4 + own; at < row.end4; at += params.grid_row * WG) {
        count_digits(keys_of_four(vector(at)), 0u, 4u, base, shift);
    }
}
