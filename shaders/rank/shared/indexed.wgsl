// Candidates with their indices. Of any two one is before the other, so there is one order of them.
#import io
#import key_order

@group(0) @binding(7) var<storage, read_write> candidates: array<Key>;
@group(0) @binding(9) var<storage, read_write> indices: array<u32>;

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
