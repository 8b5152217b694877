// finish: the results, from the keys that were found.
//
// Many methods place a quantile between two elements. The second is the same key again, if enough elements have it. If not, it is the
// lowest key above, which is found by another look at the candidates: at a sixty-fourth of the input, or at all of it if the bracket
// missed.
#import io
#import input
#import keys
#import list
#import search
#import ends
#import ticket
#import result

@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@group(0) @binding(7) var<storage, read> candidates: array<Key>;

var<workgroup> least: atomic<u32>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let rank = workgroup.y;
    let search = search_of(rank, lid);
    let needs_next = (list[rank % RANKS].y != 0u) & (search.left + 1u >= search.equal);
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
    if lid == 0u {
        atomicStore(&least, 0xffffffffu);
    }
    workgroupBarrier();
    let own = workgroup.x * WG + lid;
    var next = highest();
    if search.among == ALL {
        next = next_of_all(rank / RANKS, search.base, own);
    } else {
        let stop = number(rank);
        for (var i = own; i < stop; i += search.groups * WG) {
            next = nearer(next, candidates[rank * params.room + i], search.base);
        }
    }
    atomicMin(&least, next);
    workgroupBarrier();
    if lid == 0u {
        atomicMax(&state[rank * STATE + NEXT], ~atomicLoad(&least));
    }
    if params.is_last == 0u {
        return;
    }
    if !is_last_of(search.groups, rank, lid) {
        return;
    }
    if lid == 0u {
        next = ~known(rank, NEXT);
        if (search.among == CANDIDATES) & (known(rank, AT_HIGH) > 0u) {
            next = nearer(next, known(rank, HIGH), search.base);
        }
        store(rank, search.base, next);
    }
}

// The lower one of two keys, if the second is above the base.
fn nearer(next: Key, key: Key, base: Key) -> Key {
    return select(next, min(next, key), is_below(base, key));
}

fn next_of_all(which: u32, base: Key, own: u32) -> Key {
    let row = row_of(which);
    var next = highest();
    if own < singles(row) {
        next = nearer(next, key_of(words[single(row, own)]), base);
    }
    for (var at = row.begin4 + own; at < row.end4; at += params.groups * WG) {
        let vector = vectors[at];
        next = nearer(next, key_of(vector.x), base);
        next = nearer(next, key_of(vector.y), base);
        next = nearer(next, key_of(vector.z), base);
        next = nearer(next, key_of(vector.w), base);
    }
    return next;
}

fn store(rank: u32, key: Key, next: Key) {
    let asked = list[rank % RANKS];
    var found = missing();
    if asked.x < params.count {
        found = result(key, next, bitcast<f32>(asked.y), known(rank, NANS) == 1u);
    }
    output[params.row * RANKS + rank] = found;
}
