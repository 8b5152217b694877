// The candidates of a bracket: from one key to another, both included.
//
// The ends of a bracket are candidates as well, unless many elements are equal to them.
#import io
#import keys

const HEAVY_LOW: u32 = 1u;
const HEAVY_HIGH: u32 = 2u;

// If the low end is the highest key of all and no candidate, the last candidate is below it, and there is none.
fn first_candidate(rank: u32) -> Key {
    let low = known(rank, LOW);
    return low + select(known(rank, HEAVY) & HEAVY_LOW, 0u, low == highest());
}

// If the high end is the lowest key of all and no candidate, neither is the low end, which is the same.
fn last_candidate(rank: u32) -> Key {
    let high = known(rank, HIGH);
    return high - min(high, known(rank, HEAVY) >> 1u);
}

// Candidates in storage.
fn number(rank: u32) -> u32 {
    return min(known(rank, BETWEEN), params.room);
}
