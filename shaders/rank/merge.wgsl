// merge: every four runs of candidates that are in order become one.
//
// The place of a candidate in the new run is its place in its own, and the number of candidates before it in each of the other three. A
// binary search finds these numbers, and as each step of it waits for a load, the three searches go on at once. The candidates are still in
// the cache.
//
// Candidates go to and fro between two halves of their memory. The dispatch that leaves one run writes the k first of it as the results,
// and leaves nothing to those after it: the host does not know the number of candidates, and has planned for the most.
#import io
#import keys
#import ends
#import indexed
#import key_order
#import output

// Candidates of the first runs: a power of two.
override TILE: u32 = 256u;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let row = workgroup.y;
    let stop = number(row);
    let run = TILE << (2u * params.round);
    if (params.round > 0u) & (run >= stop) {
        return;
    }
    let half = params.rows * params.room;
    let even = row * params.room;
    let is_odd = (params.round & 1u) == 1u;
    let source = even + select(0u, half, is_odd);
    let destination = even + select(half, 0u, is_odd);
    let is_last = stop <= 4u * run;
    let step = params.groups * WG;
    for (var own = workgroup.x * WG + lid; own < stop; own += step) {
        let candidate = candidate_at(source + own);
        let place = (own & ~(4u * run - 1u)) + (own & (run - 1u)) + before_in_others(candidate, own, run, source, stop);
        if !is_last {
            put_candidate(destination + place, candidate);
        } else if place < params.k {
            store(row, place, word_of(candidate.key), candidate.index);
        }
    }
    if is_last {
        for (var place = params.count + workgroup.x * WG + lid; place < params.k; place += step) {
            store(row, place, OutputValue(), 0xffffffffu);
        }
    }
}

// The candidates before one, in those of its four runs that are not its own.
fn before_in_others(own: Candidate, at: u32, run: u32, source: u32, stop: u32) -> u32 {
    let others = (vec3(at / run) & vec3(3u)) ^ vec3(1u, 2u, 3u);
    let starts = min((at & ~(4u * run - 1u)) + others * run, vec3(stop));
    let numbers = min(vec3(stop) - starts, vec3(run));
    var before = vec3(0u);
    for (var step = run; step > 0u; step >>= 1u) {
        let more = before + step;
        let last = source + starts + min(more, numbers) - 1u;
        let keys = array(candidates[last.x], candidates[last.y], candidates[last.z]);
        let are_before = vec3(
            comes_before(keys[0], last.x, own),
            comes_before(keys[1], last.y, own),
            comes_before(keys[2], last.z, own),
        );
        before = select(before, more, (more <= numbers) & are_before);
    }
    return before.x + before.y + before.z;
}

// True if a key, with the index at a place, is before a candidate. Indices are loaded for equal keys only.
fn comes_before(key: Key, at: u32, own: Candidate) -> bool {
    if is_below(key, own.key) | is_below(own.key, key) {
        return is_below(key, own.key);
    }
    return indices[at] < own.index;
}

fn store(row: u32, place: u32, value: OutputValue, index: u32) {
    let at = (params.row + row) * params.k + place;
    store_value(at, value);
    output[params.indices + at] = index;
}
