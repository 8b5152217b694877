// digits: the next digit of the key that a rank has, by counting.
//
// A search knows the lowest key that is possible, and how many bits above it are unknown. The keys within are counted by their next
// eleven bits. The digit on which the rank falls is the next one of the key that is searched; what remains are the keys with that
// digit, and the rank among them. Three dispatches find a key of 32 bits.
//
// Elements are the candidates, a sixty-fourth of the input, which are still in the cache. Only if the bracket missed are they the input
// itself: every dispatch then reads all of it. The GPU decides that, and the host never waits: the grid is large enough for either,
// and the workgroups that are not needed end at once.
//
// The last workgroup to finish chooses the digit. It waits for nobody: it knows by a ticket that it is the last one, and it reads the
// counts of the others by atomic operations.
#import io
#import input
#import keys
#import list
#import search
#import choose
#import ticket

@group(0) @binding(7) var<storage, read> candidates: array<Key>;
// True: if the search was among all elements, they are read again with the key that was found as the threshold.
override READ_AGAIN: bool = false;

@group(0) @binding(8) var<storage, read_write> bins: array<atomic<u32>>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let rank = workgroup.y;
    let search = search_of(rank, lid);
    if search.is_found {
        if (params.round == 0u) & (workgroup.x == 0u) & (lid == 0u) {
            keep_search(rank, search);
        }
        return;
    }
    // The candidates are counted with the last elements of the input.
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
        let stop = number(rank);
        for (var i = own; i < stop; i += search.groups * WG) {
            count(candidates[rank * params.room + i], search.base, shift);
        }
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
        let base = search.base + (found.digit << shift);
        if READ_AGAIN & (search.among == ALL) & (shift == 0u) {
            // Now the threshold is exact.
            put(rank, HIGH, base);
            put(rank, BETWEEN, 0u);
            put(rank, AT_HIGH, 0u);
        }
        keep_search(rank, Search(search.among, shift == 0u, 1u, base, shift, search.left - found.before, found.equal, search.high));
    }
}

fn count(key: Key, base: Key, shift: u32) {
    let digit = (key - base) >> shift;
    if digit < BINS {
        atomicAdd(&tally[digit], 1u);
    }
}

fn count_all(which: u32, base: Key, shift: u32, own: u32) {
    let row = row_of(which);
    if own < singles(row) {
        count(key_of(words[single(row, own)]), base, shift);
    }
    for (var at = row.begin4 + own; at < row.end4; at += params.groups * WG) {
        let vector = vectors[at];
        count(key_of(vector.x), base, shift);
        count(key_of(vector.y), base, shift);
        count(key_of(vector.z), base, shift);
        count(key_of(vector.w), base, shift);
    }
}
