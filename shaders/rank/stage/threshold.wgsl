// The counts and candidates of a workgroup for one threshold: elements below it are candidates, with their indices, and those equal to it
// are counted for each workgroup apart. If some of them are needed, their counts tell where the first ones are.
#import io
#import keys

// Candidates that wait: those of a tile and some more.
override STAGED: u32 = 2560u;

@group(0) @binding(7) var<storage, read_write> candidates: array<Key>;
@group(0) @binding(9) var<storage, read_write> indices: array<u32>;
@group(0) @binding(10) var<storage, read_write> ties: array<u32>;

var<workgroup> staged: array<Key, STAGED>;
var<workgroup> staged_indices: array<u32, STAGED>;
var<workgroup> filled: atomic<u32>;
var<workgroup> filled_now: u32;
var<workgroup> place: u32;
var<workgroup> tied: atomic<u32>;
var<workgroup> threshold: Key;
var<workgroup> among_all: u32;

var<private> own_row: u32;
#ifdef subgroups
var<private> own_lane: u32;
#endif
var<private> high: Key;
var<private> own_ties: u32;

fn prepare(lid: u32) {
    if lid == 0u {
        atomicStore(&filled, 0u);
        atomicStore(&tied, 0u);
        threshold = known(own_row, HIGH);
        among_all = known(own_row, AMONG) & ALL;
    }
    high = workgroupUniformLoad(&threshold);
}

// True unless this is the read with a better threshold, and the first one was good.
fn is_needed() -> bool {
    return (params.round == 0u) | (workgroupUniformLoad(&among_all) == 1u);
}

// NaNs are keys as others are.
fn watch(keys: vec4<u32>, is_valid: bool) {}

fn begin_rank(rank: u32) {}

fn end_rank(rank: u32) {}

fn weigh(keys: vec4<u32>, is_valid: bool, index: u32) {
    if is_valid {
        if any(keys <= vec4(high)) {
            weigh_one(keys.x, index);
            weigh_one(keys.y, index + 1u);
            weigh_one(keys.z, index + 2u);
            weigh_one(keys.w, index + 3u);
        }
    }
}

fn weigh_one(key: Key, index: u32) {
    if is_below(key, high) {
        let at = atomicAdd(&filled, 1u);
        if at < STAGED {
            staged[at] = key;
            staged_indices[at] = index;
        } else {
            write(atomicAdd(&state[own_row * STATE + BETWEEN], 1u), key, index);
        }
    } else if key == high {
        own_ties += 1u;
    }
}

fn write(at: u32, key: Key, index: u32) {
    if at < params.room {
        candidates[own_row * params.room + at] = key;
        indices[own_row * params.room + at] = params.index + index;
    }
}

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
    if lid == 0u {
        place = atomicAdd(&state[own_row * STATE + BETWEEN], number);
        atomicStore(&filled, 0u);
    }
    let first = workgroupUniformLoad(&place);
    for (var i = lid; i < number; i += WG) {
        write(first + i, staged[i], staged_indices[i]);
    }
    workgroupBarrier();
}

fn finish(group: u32, lid: u32) {
    if own_ties > 0u {
        atomicAdd(&tied, own_ties);
    }
    workgroupBarrier();
    if lid == 0u {
        filled_now = atomicLoad(&filled);
    }
    if workgroupUniformLoad(&filled_now) > 0u {
        write_staged(lid);
    }
    if lid == 0u {
        let number = atomicLoad(&tied);
        ties[own_row * params.parts + params.part + group] = number;
        if number > 0u {
            atomicAdd(&state[own_row * STATE + AT_HIGH], number);
        }
    }
}
