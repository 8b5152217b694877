// The pairs of an invocation, sixteen in a row of its workgroup's tile, and their keys.
#import by_key/shared/io
#import lib/grid/entry
#import by_key/shared/run
#import shared/run_keys/*

@group(0) @binding(0) var<storage, read> keys: array<RunKey>;
@group(0) @binding(3) var<storage, read> key_vectors: array<vec4<u32>>;

const ITEMS: u32 = 16u;

// The key of a pair, or of the last pair beyond the end.
fn key(at: u32) -> RunKey { return keys[params.first_key + min(at, max(params.count, 1u) - 1u)]; }

struct RunKeys {
    #for p in a b c d: $p: FourRunKeys,
}

fn four_keys(at: u32) -> FourRunKeys { return FourRunKeys(key(at), key(at + 1u), key(at + 2u), key(at + 3u)); }

#ifdef bits_64
const KEYS_IN_VECTOR: u32 = 2u;

// Four keys from a vector on.
fn keys_from(vector: u32) -> FourRunKeys {
    let a = key_vectors[vector];
    let b = key_vectors[vector + 1u];
    return FourRunKeys(a.xy, a.zw, b.xy, b.zw);
}
#else
const KEYS_IN_VECTOR: u32 = 4u;

fn keys_from(vector: u32) -> FourRunKeys { return key_vectors[vector]; }
#endif

// True if no pair of a tile lies beyond the end.
fn is_whole(tile: u32) -> bool { return tile * WG * ITEMS + (WG * ITEMS - 1u) < params.count; }

fn own_keys(at: u32, is_whole: bool) -> RunKeys {
    let first = params.first_key + at;
    if (first % KEYS_IN_VECTOR == 0u) & is_whole {
        let vector = first / KEYS_IN_VECTOR;
        let step = 4u / KEYS_IN_VECTOR;
        return RunKeys(keys_from(vector), keys_from(vector + step), keys_from(vector + 2u * step), keys_from(vector + 3u * step));
    }
    return RunKeys(four_keys(at), four_keys(at + 4u), four_keys(at + 8u), four_keys(at + 12u));
}

// The key before some pairs: the last one of the lane before. All lanes are together here. A load takes a twentieth longer, with short runs.
fn key_before(keys: RunKeys, at: u32, place: Place) -> RunKey {
#ifdef subgroups
    let last = subgroupShuffleUp(keys.d.w, 1u);
    if place.lane > 0u {
        return last;
    }
#endif
    return key(max(at, 1u) - 1u);
}

// A bit for each of sixteen pairs at which a run begins.
fn starts_of(keys: RunKeys, at: u32, before: RunKey) -> u32 {
    return changes(keys.a, before)
        | (changes(keys.b, keys.a.w) << 4u)
        | (changes(keys.c, keys.b.w) << 8u)
        | (changes(keys.d, keys.c.w) << 12u)
        | u32(at == 0u);
}

struct Own {
    // The first pair, and how many there are.
    at: u32,
    len: u32,
    // A bit for each at which a run begins, the lowest for the first.
    starts: u32,
}

fn own_pairs(tile: u32, lid: u32, place: Place) -> Own {
    let at = (tile * WG + lid) * ITEMS;
    let len = min(params.count - min(at, params.count), ITEMS);
    let keys = own_keys(at, is_whole(tile));
    return Own(at, len, starts_of(keys, at, key_before(keys, at, place)) & ((1u << len) - 1u));
}

// The number of runs that begin in sixteen pairs. They are loaded a few at a time, as an invocation has its own pairs in registers meanwhile.
fn count_starts(at: u32) -> u32 {
    var starts = u32(at == 0u);
    for (var four = at; four < at + ITEMS; four += 4u) {
        starts += countOneBits(changes(four_keys(four), key(max(four, 1u) - 1u)));
    }
    return select(starts, 0u, params.count == 0u);
}

// The summary of these pairs.
fn runs_of(own: Own, acc: Acc) -> Runs {
    if own.starts == 0u {
        return Runs(0u, 0u, acc);
    }
    return Runs(countOneBits(own.starts), own.at + firstLeadingBit(own.starts), acc);
}
