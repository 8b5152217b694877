// The number of winners of a row.
#import io
#import ends

// A row may have fewer than k elements.
fn winners_of_row() -> u32 {
    return min(params.k, params.count);
}

// Those that are candidates. The others are equal to the threshold, which comes after all candidates.
fn winning_candidates(row: u32) -> u32 {
    return min(number(row), winners_of_row());
}
