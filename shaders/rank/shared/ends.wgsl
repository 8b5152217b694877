// The candidates of a bracket: the keys between its ends, and the ends unless many elements are equal to them.
#import rank/shared/io
#import rank/keys/*
#import rank/order/*

const LOW_REPEATS: u32 = 1u;
const HIGH_REPEATS: u32 = 2u;

fn known_key(rank: u32, word: u32) -> Key {
#ifdef bits_64
    return Key(known(rank, word), known(rank, word + 1u));
#else
    return known(rank, word);
#endif
}

fn put_key(rank: u32, word: u32, key: Key) {
#ifdef bits_64
    put(rank, word, key.x);
    put(rank, word + 1u, key.y);
#else
    put(rank, word, key);
#endif
}

// If the low end is the highest key of all and no candidate, the last candidate is below it, and there is none.
fn first_candidate(rank: u32) -> Key {
    let low = known_key(rank, LOW);
    return plus(low, select(known(rank, ENDPOINT_REPEATS) & LOW_REPEATS, 0u, same(low, highest())));
}

// If the high end is the lowest key of all and no candidate, neither is the low end, which is the same.
fn last_candidate(rank: u32) -> Key {
    let high = known_key(rank, HIGH);
    return minus(high, select(known(rank, ENDPOINT_REPEATS) >> 1u, 0u, same(high, lowest())));
}

// Candidates in storage.
fn number(rank: u32) -> u32 { return min(known(rank, BETWEEN), params.room); }
