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

fn candidate_at(at: u32) -> Candidate { return Candidate(candidates[at], indices[at]); }

fn put_candidate(at: u32, candidate: Candidate) {
    candidates[at] = candidate.key;
    indices[at] = candidate.index;
}

fn is_before(a: Candidate, b: Candidate) -> bool { return is_below(a.key, b.key) | (!is_below(b.key, a.key) & (a.index < b.index)); }

// Places of an invocation, and of a workgroup.
const ITEMS_PER_LANE: u32 = 4u;
override SPAN: u32 = 1024u;

var<workgroup> tile_keys: array<Key, SPAN>;
var<workgroup> tile_indices: array<u32, SPAN>;

// The next candidate of either run, and the ends of both.
struct Runs {
    next_a: u32,
    next_b: u32,
    end_a: u32,
    end_b: u32,
}

fn tile_at(at: u32) -> Candidate { return Candidate(tile_keys[at], tile_indices[at]); }

fn put_in_tile(at: u32, candidate: Candidate) {
    tile_keys[at] = candidate.key;
    tile_indices[at] = candidate.index;
}

// The runs from `a` and from `b` on, at a place of the one that they become.
fn runs_at(place: u32, a: u32, b: u32, end: u32) -> Runs {
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
    return Runs(a + low, b + place - low, b, end);
}

// Takes the next candidate from one of the runs.
fn take(runs: ptr<function, Runs>) -> Candidate {
    let a = tile_at(min((*runs).next_a, SPAN - 1u));
    let b = tile_at(min((*runs).next_b, SPAN - 1u));
    if ((*runs).next_b >= (*runs).end_b) | (((*runs).next_a < (*runs).end_a) & is_before(a, b)) {
        (*runs).next_a += 1u;
        return a;
    }
    (*runs).next_b += 1u;
    return b;
}
