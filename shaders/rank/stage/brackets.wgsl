// The counts and candidates of a workgroup, for any number of brackets, which may overlap.
//
// Candidates wait in workgroup memory with the number of their bracket and their place among its candidates. When there might be no
// room for another tile, each bracket reserves room for its own in storage, and all are written there.
#import io
#import keys

// Candidates that wait: those of a tile and some more.
override STAGED: u32 = 2560u;
// As many, or 1 if there is one bracket: its candidates need no number.
override TAGS: u32 = 1u;

@group(0) @binding(7) var<storage, read_write> candidates: array<Key>;

var<workgroup> lows: array<Key, RANKS>;
var<workgroup> highs: array<Key, RANKS>;
// For each bracket: elements below, at the low end, at the high end.
var<workgroup> below: array<atomic<u32>, RANKS>;
var<workgroup> at_low: array<atomic<u32>, RANKS>;
var<workgroup> at_high: array<atomic<u32>, RANKS>;
// Candidates of each bracket that wait, and the place in storage of the first.
var<workgroup> waiting: array<atomic<u32>, RANKS>;
var<workgroup> places: array<u32, RANKS>;
var<workgroup> staged: array<Key, STAGED>;
var<workgroup> tags: array<u32, TAGS>;
var<workgroup> filled: atomic<u32>;
var<workgroup> filled_now: u32;
var<workgroup> any_nan: atomic<u32>;

var<private> own_row: u32;
#ifdef subgroups
var<private> own_lane: u32;
#endif
var<private> has_nan: bool;
// The bracket that elements are compared with, and how many of this invocation are below, at the low end, at the high end.
var<private> own_rank: u32;
var<private> low: Key;
var<private> high: Key;
var<private> met: vec3<u32>;

fn prepare(lid: u32) {
    for (var rank = lid; rank < RANKS; rank += WG) {
        lows[rank] = known(own_row * RANKS + rank, LOW);
        highs[rank] = known(own_row * RANKS + rank, HIGH);
        atomicStore(&waiting[rank], 0u);
        atomicStore(&below[rank], 0u);
        atomicStore(&at_low[rank], 0u);
        atomicStore(&at_high[rank], 0u);
    }
    if lid == 0u {
        atomicStore(&any_nan, 0u);
        atomicStore(&filled, 0u);
    }
    workgroupBarrier();
}

fn is_needed() -> bool {
    return true;
}

fn watch(keys: vec4<u32>, is_valid: bool) {
    has_nan |= is_valid & any_is_nan(keys);
}

fn begin_rank(rank: u32) {
    own_rank = rank;
    low = lows[rank];
    high = highs[rank];
    met = vec3(0u);
}

fn weigh(keys: vec4<u32>, is_valid: bool, index: u32) {
    if is_valid {
        let ones = select(vec4(0u), vec4(1u), keys < vec4(low));
        met.x += ones.x + ones.y + ones.z + ones.w;
        let inside = (keys >= vec4(low)) & (keys <= vec4(high));
        if any(inside) {
            if inside.x {
                keep(keys.x);
            }
            if inside.y {
                keep(keys.y);
            }
            if inside.z {
                keep(keys.z);
            }
            if inside.w {
                keep(keys.w);
            }
        }
    }
}

fn weigh_one(key: Key, index: u32) {
    if is_below(key, low) {
        met.x += 1u;
    } else if !is_below(high, key) {
        keep(key);
    }
}

// An element of the bracket.
fn keep(key: Key) {
    if key == low {
        met.y += 1u;
    } else if key == high {
        met.z += 1u;
    } else {
        let at = atomicAdd(&filled, 1u);
        if at >= STAGED {
            write(own_rank, atomicAdd(&state[(own_row * RANKS + own_rank) * STATE + BETWEEN], 1u), key);
        } else {
            staged[at] = key;
            if RANKS > 1u {
                tags[at] = (own_rank << 16u) | atomicAdd(&waiting[own_rank], 1u);
            }
        }
    }
}

fn write(rank: u32, place: u32, key: Key) {
    if place < params.room {
        candidates[(own_row * RANKS + rank) * params.room + place] = key;
    }
}

fn end_rank(rank: u32) {
#ifdef subgroups
    let sums = subgroupAdd(met);
    if own_lane == 0u {
        add(rank, sums);
    }
#else
    add(rank, met);
#endif
}

fn add(rank: u32, sums: vec3<u32>) {
    if sums.x > 0u {
        atomicAdd(&below[rank], sums.x);
    }
    if (sums.y | sums.z) > 0u {
        atomicAdd(&at_low[rank], sums.y);
        atomicAdd(&at_high[rank], sums.z);
    }
}

// Writes the candidates to storage if another tile might not fit.
fn make_room(lid: u32) {
    workgroupBarrier();
    if lid == 0u {
        filled_now = atomicLoad(&filled);
    }
    if workgroupUniformLoad(&filled_now) + 16u * WG > STAGED {
        write_staged(lid);
    }
}

fn write_staged(lid: u32) {
    let number = min(filled_now, STAGED);
    for (var rank = lid; rank < RANKS; rank += WG) {
        let own = select(number, atomicLoad(&waiting[rank]), RANKS > 1u);
        places[rank] = atomicAdd(&state[(own_row * RANKS + rank) * STATE + BETWEEN], own);
        atomicStore(&waiting[rank], 0u);
    }
    if lid == 0u {
        atomicStore(&filled, 0u);
    }
    workgroupBarrier();
    for (var i = lid; i < number; i += WG) {
        if RANKS > 1u {
            let tag = tags[i];
            write(tag >> 16u, places[tag >> 16u] + (tag & 0xffffu), staged[i]);
        } else {
            write(0u, places[0] + i, staged[i]);
        }
    }
    workgroupBarrier();
}

fn finish(group: u32, lid: u32) {
    if has_nan {
        atomicStore(&any_nan, 1u);
    }
    workgroupBarrier();
    if lid == 0u {
        filled_now = atomicLoad(&filled);
    }
    if workgroupUniformLoad(&filled_now) > 0u {
        write_staged(lid);
    }
    for (var rank = lid; rank < RANKS; rank += WG) {
        let words = (own_row * RANKS + rank) * STATE;
        atomicAdd(&state[words + BELOW], atomicLoad(&below[rank]));
        atomicAdd(&state[words + AT_LOW], atomicLoad(&at_low[rank]));
        atomicAdd(&state[words + AT_HIGH], atomicLoad(&at_high[rank]));
        if atomicLoad(&any_nan) == 1u {
            atomicStore(&state[words + NANS], 1u);
        }
    }
}
