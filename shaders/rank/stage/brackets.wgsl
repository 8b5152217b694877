// The counts and candidates of a workgroup, for up to five brackets, which may overlap.
//
// Each bracket takes two comparisons of an element, which also count what is below. Candidates, one of a hundred per bracket, are staged in
// workgroup memory. An invocation finds them by the bits of its sixteen elements, and loads them again from the cache.
#import rank/shared/io
#import rank/shared/input
#import rank/shared/input_words
#import rank/keys/*
#import rank/shared/ends
#import rank/order/*
#import rank/shared/four_keys

// The most brackets of one read, and their number here.
const MOST: u32 = 5u;
override MEMBERS: u32 = 1u;
// Elements that wait in workgroup memory.
override STAGED: u32 = 1024u;

@group(0) @binding(7) var<storage, read_write> candidates: array<Key>;

// A bracket: the rank it is for, its ends, the first and the last key of its candidates, and if elements that are equal to its ends are counted.
struct Bracket {
    rank: u32,
    low: Key,
    high: Key,
    first: Key,
    last: Key,
    repeats: u32,
}

var<workgroup> brackets: array<Bracket, MOST>;
// Elements below the first candidate of each bracket, at the low end, and at the high end.
var<workgroup> below: array<atomic<u32>, MOST>;
var<workgroup> at_low: array<atomic<u32>, MOST>;
var<workgroup> at_high: array<atomic<u32>, MOST>;
// Candidates of each bracket for staging, and the first that found no room; those that wait, and the place in storage of the first.
var<workgroup> waiting: array<atomic<u32>, MOST>;
var<workgroup> end: array<atomic<u32>, MOST>;
var<workgroup> staged: array<Key, STAGED>;
var<workgroup> places: array<u32, MOST>;
var<workgroup> any_nan: atomic<u32>;
// Elements below each bracket that an invocation has seen. No argument: Microsoft's older compiler writes out loops that change an array by a pointer.
var<private> own_below: array<u32, MOST>;

// Whether an invocation has seen a NaN, and whether elements at the ends of any bracket are counted.
struct Counts {
    has_nan: bool,
    has_repeats: bool,
}

// The last read may have fewer brackets than the others. Nothing is in one that is not there.
fn bracket_of(row: u32, member: u32) -> Bracket {
    let rank = params.round * MEMBERS + member;
    if rank >= RANKS {
        return Bracket(RANKS, highest(), lowest(), highest(), lowest(), 0u);
    }
    let own = row * RANKS + rank;
    return Bracket(rank, known_key(own, LOW), known_key(own, HIGH), first_candidate(own), last_candidate(own), known(own, ENDPOINT_REPEATS));
}

// Every row is read.
fn begin_row(row: u32, lid: u32) -> bool {
    if lid < MEMBERS {
        brackets[lid] = bracket_of(row, lid);
        atomicStore(&below[lid], 0u);
        atomicStore(&at_low[lid], 0u);
        atomicStore(&at_high[lid], 0u);
    }
    if lid == 0u {
        atomicStore(&any_nan, 0u);
    }
    workgroupBarrier();
    return true;
}

fn begin_part(lid: u32, counts: ptr<function, Counts>) {
    if lid < MEMBERS {
        atomicStore(&waiting[lid], 0u);
        atomicStore(&end[lid], room_of_bracket());
    }
    workgroupBarrier();
    for (var member = 0u; member < MEMBERS; member++) {
        (*counts).has_repeats |= brackets[member].repeats != 0u;
    }
}

fn count_keys(row: u32, keys: FourKeys, valid: u32, index: u32, counts: ptr<function, Counts>) {
    (*counts).has_nan |= any_is_nan(keys.a) | any_is_nan(keys.b) | any_is_nan(keys.c) | any_is_nan(keys.d);
    for (var member = 0u; member < MEMBERS; member++) {
        let under = bits_below(keys, brackets[member].first);
        own_below[member] += countOneBits(valid & under);
        let inside = valid & bits_up_to(keys, brackets[member].last) & ~under;
        if inside != 0u {
            stage(row, member, index, inside);
        }
    }
    if (*counts).has_repeats {
        count_ends(keys, valid);
    }
}

// Counts elements at the ends of brackets where they are no candidates. If both ends are one key, its elements are at the low end.
fn count_ends(keys: FourKeys, valid: u32) {
    for (var member = 0u; member < MEMBERS; member++) {
        let bracket = brackets[member];
        let has_low = select(0u, valid, (bracket.repeats & LOW_REPEATS) != 0u);
        let has_high = select(0u, valid, (bracket.repeats & HIGH_REPEATS) != 0u);
        let lows = has_low & bits_same(keys, bracket.low);
        let highs = has_high & ~lows & bits_same(keys, bracket.high);
        if lows != 0u {
            atomicAdd(&at_low[member], countOneBits(lows));
        }
        if highs != 0u {
            atomicAdd(&at_high[member], countOneBits(highs));
        }
    }
}

fn room_of_bracket() -> u32 { return STAGED / MEMBERS; }

// Keeps those of sixteen elements whose bit is set: in workgroup memory or, once it has no room, in storage.
fn stage(row: u32, member: u32, index: u32, bits: u32) {
    let first = row_of(row).begin + index;
    let number = countOneBits(bits);
    var at = atomicAdd(&waiting[member], number);
    let has_room = at + number <= room_of_bracket();
    if has_room {
        at += member * room_of_bracket();
    } else {
        // Whatever comes later has no room either.
        atomicMin(&end[member], at);
        at = reserve(row, member, number);
    }
    for (var rest = bits; rest != 0u; rest &= rest - 1u) {
        let key = element(first + place_of_lowest(rest));
        if has_room {
            staged[at] = key;
        } else {
            write(row, member, at, key);
        }
        at += 1u;
    }
}

fn write(row: u32, member: u32, place: u32, key: Key) {
    if place < params.room {
        candidates[(row * RANKS + brackets[member].rank) * params.room + place] = key;
    }
}

// Writes the candidates that wait.
fn end_part(row: u32, part: u32, lid: u32, counts: Counts) {
    workgroupBarrier();
    if lid < MEMBERS {
        let number = min(atomicLoad(&waiting[lid]), atomicLoad(&end[lid]));
        atomicStore(&waiting[lid], number);
        places[lid] = reserve(row, lid, number);
    }
    workgroupBarrier();
    for (var member = 0u; member < MEMBERS; member++) {
        let number = atomicLoad(&waiting[member]);
        for (var i = lid; i < number; i += WG) {
            write(row, member, places[member] + i, staged[member * room_of_bracket() + i]);
        }
    }
    workgroupBarrier();
}

fn reserve(row: u32, member: u32, number: u32) -> u32 {
    if number == 0u {
        return 0u;
    }
    return atomicAdd(&state[(row * RANKS + brackets[member].rank) * STATE + BETWEEN], number);
}

fn end_row(row: u32, lid: u32, counts: Counts) {
    for (var member = 0u; member < MEMBERS; member++) {
        atomicAdd(&below[member], own_below[member]);
    }
    if counts.has_nan {
        atomicStore(&any_nan, 1u);
    }
    workgroupBarrier();
    if (lid < MEMBERS) & (brackets[lid].rank < RANKS) {
        let words = (row * RANKS + brackets[lid].rank) * STATE;
        atomicAdd(&state[words + BELOW], atomicLoad(&below[lid]));
        if brackets[lid].repeats != 0u {
            atomicAdd(&state[words + AT_LOW], atomicLoad(&at_low[lid]));
            atomicAdd(&state[words + AT_HIGH], atomicLoad(&at_high[lid]));
        }
        if atomicLoad(&any_nan) == 1u {
            atomicStore(&state[words + NANS], 1u);
        }
    }
}
