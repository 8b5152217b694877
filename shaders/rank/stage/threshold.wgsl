// The counts and candidates of a workgroup for one threshold: elements below it are candidates, with their indices, and those equal to it
// are counted for each workgroup apart. If some of them are needed, these counts locate the first ones.
#import rank/shared/io
#import rank/shared/input
#import rank/shared/input_words
#import rank/shared/ends
#import rank/order/*
#import rank/shared/four_keys

// Candidates that wait in workgroup memory.
override STAGED: u32 = 1024u;

@group(0) @binding(7) var<storage, read_write> candidates: array<Key>;
@group(0) @binding(9) var<storage, read_write> indices: array<u32>;
@group(0) @binding(10) var<storage, read_write> ties: array<u32>;

var<workgroup> staged: array<Key, STAGED>;
var<workgroup> staged_indices: array<u32, STAGED>;
// Candidates for staging, the first that found no room, and the place in storage of the first that did.
var<workgroup> waiting: atomic<u32>;
var<workgroup> end: atomic<u32>;
var<workgroup> place: u32;
// Elements equal to the threshold, if they are no candidates.
var<workgroup> tied: atomic<u32>;
// The threshold; if it is no candidate itself; what the search was among.
var<workgroup> threshold: Key;
var<workgroup> has_repeats: u32;
var<workgroup> among: u32;

// The ties of a part that an invocation has counted.
struct Counts {
    ties: u32,
}

// Returns true unless this is the read with a better threshold, and the first one was good.
fn begin_row(row: u32, lid: u32) -> bool {
    if lid == 0u {
        threshold = known_key(row, HIGH);
        has_repeats = known(row, ENDPOINT_REPEATS) & HIGH_REPEATS;
        among = known(row, AMONG);
    }
    return (workgroupUniformLoad(&among) == ALL) | (params.round == 0u);
}

fn begin_part(lid: u32, counts: ptr<function, Counts>) {
    if lid == 0u {
        atomicStore(&waiting, 0u);
        atomicStore(&end, STAGED);
        atomicStore(&tied, 0u);
    }
    (*counts).ties = 0u;
    workgroupBarrier();
}

// Counts ties and stages candidates. Hardly any step has one.
fn count_keys(row: u32, keys: FourKeys, valid: u32, index: u32, counts: ptr<function, Counts>) {
    if any_up_to(keys, threshold) {
        let ties = valid & select(0u, bits_same(keys, threshold), has_repeats != 0u);
        (*counts).ties += countOneBits(ties);
        let inside = valid & bits_up_to(keys, threshold) & ~ties;
        if inside != 0u {
            stage(row, inside, index);
        }
    }
}

fn stage(row: u32, bits: u32, index: u32) {
    let number = countOneBits(bits);
    var at = atomicAdd(&waiting, number);
    let has_room = at + number <= STAGED;
    if !has_room {
        atomicMin(&end, at);
        at = atomicAdd(&state[row * STATE + BETWEEN], number);
    }
    for (var rest = bits; rest != 0u; rest &= rest - 1u) {
        let place = index + place_of_lowest(rest);
        let key = element(row_of(row).begin + place);
        if has_room {
            staged[at] = key;
            staged_indices[at] = place;
        } else {
            write(row, at, key, place);
        }
        at += 1u;
    }
}

fn write(row: u32, at: u32, key: Key, index: u32) {
    if at < params.room {
        candidates[row * params.room + at] = key;
        indices[row * params.room + at] = params.index + index;
    }
}

fn end_row(row: u32, lid: u32, counts: Counts) {}

fn end_part(row: u32, part: u32, lid: u32, counts: Counts) {
    if counts.ties > 0u {
        atomicAdd(&tied, counts.ties);
    }
    workgroupBarrier();
    if lid == 0u {
        let number = min(atomicLoad(&waiting), atomicLoad(&end));
        atomicStore(&waiting, number);
        if number > 0u {
            place = atomicAdd(&state[row * STATE + BETWEEN], number);
        }
        let ties_of_part = atomicLoad(&tied);
        ties[row * params.parts + params.part + part] = ties_of_part;
        if ties_of_part > 0u {
            atomicAdd(&state[row * STATE + AT_HIGH], ties_of_part);
        }
    }
    workgroupBarrier();
    let number = atomicLoad(&waiting);
    for (var i = lid; i < number; i += WG) {
        write(row, place + i, staged[i], staged_indices[i]);
    }
    workgroupBarrier();
}
