// The counts and candidates of a workgroup, for any number of brackets, which may overlap.
#import io
#import keys
#import ends
#import four_vectors

// Candidates of a bracket that wait in workgroup memory, and those of all brackets.
override STAGED: u32 = 1024u;
override ALL_STAGED: u32 = 1024u;
// RANKS times WG.
override SLOTS: u32 = 128u;

@group(0) @binding(7) var<storage, read_write> candidates: array<Key>;

// The first and the last key of the candidates of each bracket, and its ends, if elements that are equal to them are counted.
var<workgroup> firsts: array<Key, RANKS>;
var<workgroup> lasts: array<Key, RANKS>;
var<workgroup> lows: array<Key, RANKS>;
var<workgroup> highs: array<Key, RANKS>;
var<workgroup> heavy: array<u32, RANKS>;
// Elements below the first candidate of each bracket: of each invocation, and of all. Each adds to its own word, so that none waits for
// another.
var<workgroup> own_below: array<u32, SLOTS>;
var<workgroup> below: array<atomic<u32>, RANKS>;
// Elements at the low end, and at the high end.
var<workgroup> at_low: array<atomic<u32>, RANKS>;
var<workgroup> at_high: array<atomic<u32>, RANKS>;
// Candidates of each bracket that wanted to wait, the first that found no room, and the place in storage of the first that did.
var<workgroup> waiting: array<atomic<u32>, RANKS>;
var<workgroup> ends: array<atomic<u32>, RANKS>;
var<workgroup> places: array<u32, RANKS>;
var<workgroup> staged: array<Key, ALL_STAGED>;
var<workgroup> any_nan: atomic<u32>;

var<private> own_row: u32;
var<private> own_lid: u32;
var<private> has_nan: bool;

// All that a workgroup counts is of one part.
fn begin_row(lid: u32) {}

fn begin_part(lid: u32) {
    own_lid = lid;
    for (var rank = 0u; rank < RANKS; rank++) {
        own_below[rank * WG + lid] = 0u;
    }
    for (var rank = lid; rank < RANKS; rank += WG) {
        let whose = own_row * RANKS + rank;
        lows[rank] = known(whose, LOW);
        highs[rank] = known(whose, HIGH);
        heavy[rank] = known(whose, HEAVY);
        firsts[rank] = first_candidate(whose);
        lasts[rank] = last_candidate(whose);
        atomicStore(&waiting[rank], 0u);
        atomicStore(&ends[rank], STAGED);
        atomicStore(&below[rank], 0u);
        atomicStore(&at_low[rank], 0u);
        atomicStore(&at_high[rank], 0u);
    }
    if lid == 0u {
        atomicStore(&any_nan, 0u);
    }
    workgroupBarrier();
}

fn is_needed() -> bool {
    return true;
}

fn count_all(keys: FourVectors, valid: u32, index: u32) {
    let nans = any_is_nan(keys.a) | any_is_nan(keys.b) | any_is_nan(keys.c) | any_is_nan(keys.d);
    has_nan |= nans & (valid != 0u);
    for (var rank = 0u; rank < RANKS; rank++) {
        let first = vec4(firsts[rank]);
        let last = vec4(lasts[rank]);
        let under = valid & bits_of(keys.a < first, keys.b < first, keys.c < first, keys.d < first);
        let upto = valid & bits_of(keys.a <= last, keys.b <= last, keys.c <= last, keys.d <= last);
        own_below[rank * WG + own_lid] += countOneBits(under);
        let inside = upto & ~under;
        if inside != 0u {
            stage(rank, keys, inside);
        }
        if heavy[rank] != 0u {
            count_ends(rank, keys, valid);
        }
    }
}

fn count_ends(rank: u32, keys: FourVectors, valid: u32) {
    let low = vec4(lows[rank]);
    let high = vec4(highs[rank]);
    let has_low = select(0u, valid, (heavy[rank] & HEAVY_LOW) != 0u);
    let has_high = select(0u, valid, (heavy[rank] & HEAVY_HIGH) != 0u);
    let lows = has_low & bits_of(keys.a == low, keys.b == low, keys.c == low, keys.d == low);
    let highs = has_high & ~lows & bits_of(keys.a == high, keys.b == high, keys.c == high, keys.d == high);
    let number_low = countOneBits(lows);
    let number_high = countOneBits(highs);
    if number_low > 0u {
        atomicAdd(&at_low[rank], number_low);
    }
    if number_high > 0u {
        atomicAdd(&at_high[rank], number_high);
    }
}

// Keeps those of sixteen keys whose bit is set.
fn stage(rank: u32, keys: FourVectors, bits: u32) {
    let number = countOneBits(bits);
    let place = atomicAdd(&waiting[rank], number);
    if place + number <= STAGED {
        var at = rank * STAGED + place;
        at = stage_four(at, keys.a, bits);
        at = stage_four(at, keys.b, bits >> 4u);
        at = stage_four(at, keys.c, bits >> 8u);
        at = stage_four(at, keys.d, bits >> 12u);
    } else {
        // They go to storage at once. Whatever comes later has no room either.
        atomicMin(&ends[rank], place);
        var at = atomicAdd(&state[(own_row * RANKS + rank) * STATE + BETWEEN], number);
        at = write_four(rank, at, keys.a, bits);
        at = write_four(rank, at, keys.b, bits >> 4u);
        at = write_four(rank, at, keys.c, bits >> 8u);
        at = write_four(rank, at, keys.d, bits >> 12u);
    }
}

fn stage_four(first: u32, keys: vec4<u32>, bits: u32) -> u32 {
    var at = first;
    if (bits & 15u) != 0u {
        if (bits & 1u) != 0u {
            staged[at] = keys.x;
            at += 1u;
        }
        if (bits & 2u) != 0u {
            staged[at] = keys.y;
            at += 1u;
        }
        if (bits & 4u) != 0u {
            staged[at] = keys.z;
            at += 1u;
        }
        if (bits & 8u) != 0u {
            staged[at] = keys.w;
            at += 1u;
        }
    }
    return at;
}

fn write_four(rank: u32, first: u32, keys: vec4<u32>, bits: u32) -> u32 {
    var at = first;
    for (var i = 0u; i < 4u; i++) {
        if ((bits >> i) & 1u) != 0u {
            write(rank, at, keys[i]);
            at += 1u;
        }
    }
    return at;
}

fn write(rank: u32, place: u32, key: Key) {
    if place < params.room {
        candidates[(own_row * RANKS + rank) * params.room + place] = key;
    }
}

fn end_part(part: u32, lid: u32) {
    if has_nan {
        atomicStore(&any_nan, 1u);
    }
    for (var rank = 0u; rank < RANKS; rank++) {
        atomicAdd(&below[rank], own_below[rank * WG + lid]);
    }
    workgroupBarrier();
    for (var rank = lid; rank < RANKS; rank += WG) {
        let words = (own_row * RANKS + rank) * STATE;
        let number = min(atomicLoad(&waiting[rank]), atomicLoad(&ends[rank]));
        atomicStore(&waiting[rank], number);
        places[rank] = atomicAdd(&state[words + BETWEEN], number);
        atomicAdd(&state[words + BELOW], atomicLoad(&below[rank]));
        if heavy[rank] != 0u {
            atomicAdd(&state[words + AT_LOW], atomicLoad(&at_low[rank]));
            atomicAdd(&state[words + AT_HIGH], atomicLoad(&at_high[rank]));
        }
        if atomicLoad(&any_nan) == 1u {
            atomicStore(&state[words + NANS], 1u);
        }
    }
    workgroupBarrier();
    for (var rank = 0u; rank < RANKS; rank++) {
        let number = atomicLoad(&waiting[rank]);
        for (var i = lid; i < number; i += WG) {
            write(rank, places[rank] + i, staged[rank * STAGED + i]);
        }
    }
}
