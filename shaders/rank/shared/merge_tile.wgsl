// Two runs of candidates in workgroup memory, each in order, become one: each invocation has four places of the new run.
//
// A binary search finds the cut through both runs; from there on the next candidate is the lesser of two.
#import rank/shared/io
#import rank/order/*

@group(0) @binding(7) var<storage, read_write> candidates: array<Key>;
@group(0) @binding(9) var<storage, read_write> indices: array<u32>;

// Of any two candidates one is before the other, so there is one order of them.
struct Candidate {
    key: Key,
    index: u32,
}

fn candidate_at(at: u32) -> Candidate {
    return Candidate(candidates[at], indices[at]);
}

fn put_candidate(at: u32, candidate: Candidate) {
    candidates[at] = candidate.key;
    indices[at] = candidate.index;
}

fn is_before(a: Candidate, b: Candidate) -> bool {
    return is_below(a.key, b.key) | (!is_below(b.key, a.key) & (a.index < b.index));
}

// Places of an invocation, and of a workgroup.
const ITEMS_PER_LANE: u32 = 4u;
override SPAN: u32 = 1024u;

var<workgroup> tile_keys: array<Key, SPAN>;
var<workgroup> tile_indices: array<u32, SPAN>;

// The next candidate of either run, and the ends of both.
var<private> next_a: u32;
var<private> next_b: u32;
var<private> end_a: u32;
var<private> end_b: u32;

fn tile_at(at: u32) -> Candidate {
    return Candidate(tile_keys[at], tile_indices[at]);
}

fn put_in_tile(at: u32, candidate: Candidate) {
    tile_keys[at] = candidate.key;
    tile_indices[at] = candidate.index;
}

// Begins at a place of the run that is made of those from `a` and from `b` on.
fn begin_at(place: u32, a: u32, b: u32, end: u32) {
    // The candidates from `a` on before this place.
    var low = place - min(place, end - b);
    var high = min(place, b - a);
    while low < high {
        let middle = (low + high) / 2u;
        if is_before(tile_at(a + middle), tile_at(b + place - 1u - middle)) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    next_a = a + low;
    next_b = b + place - low;
    end_a = b;
    end_b = end;
}

fn take() -> Candidate {
    let a = tile_at(min(next_a, SPAN - 1u));
    let b = tile_at(min(next_b, SPAN - 1u));
    if (next_b >= end_b) | ((next_a < end_a) & is_before(a, b)) {
        next_a += 1u;
        return a;
    }
    next_b += 1u;
    return b;
}
