// The counts and candidates of a workgroup, for up to five brackets, which may overlap.
//
// Each bracket takes two comparisons of an element, which also count what is below.
//
// Candidates, a few of a hundred, wait in workgroup memory. When the part has been read, all invocations look at them again, find
// out which brackets each belongs to, and give them their places in storage.
#import io
#import keys
#import ends
#import key_order
#import four_keys
#import tile

// The most brackets of one read, and their number here.
const MOST: u32 = 5u;
override MEMBERS: u32 = 1u;
// Elements that wait in workgroup memory.
override STAGED: u32 = 1024u;

@group(0) @binding(7) var<storage, read_write> candidates: array<Key>;

// A bracket: the rank it is for, its ends, the first and the last key of its candidates, and if elements that are equal to its ends are
// counted.
struct Bracket {
    rank: u32,
    low: Key,
    high: Key,
    first: Key,
    last: Key,
    heavy: u32,
}

var<workgroup> brackets: array<Bracket, MOST>;
// Elements below the first candidate of each bracket, at the low end, and at the high end.
var<workgroup> below: array<atomic<u32>, MOST>;
var<workgroup> at_low: array<atomic<u32>, MOST>;
var<workgroup> at_high: array<atomic<u32>, MOST>;
// Candidates that wanted to wait, the first that found no room, and those that did.
var<workgroup> waiting: atomic<u32>;
var<workgroup> end: atomic<u32>;
var<workgroup> staged: array<Key, STAGED>;
// The number of these that are candidates of each bracket, and the place in storage of the first.
var<workgroup> found: array<atomic<u32>, MOST>;
var<workgroup> places: array<u32, MOST>;
var<workgroup> any_nan: atomic<u32>;

var<private> own_row: u32;
// Elements below each bracket.
var<private> own_below: array<u32, MOST>;
var<private> has_nan: bool;
// True if elements at the ends of any bracket are counted.
var<private> is_heavy: bool;

// The last read may have fewer brackets than the others. Nothing is in one that is not there.
fn bracket_of(member: u32) -> Bracket {
    let rank = params.round * MEMBERS + member;
    if rank >= RANKS {
        return Bracket(RANKS, highest(), lowest(), highest(), lowest(), 0u);
    }
    let own = own_row * RANKS + rank;
    return Bracket(rank, known_key(own, LOW), known_key(own, HIGH), first_candidate(own), last_candidate(own), known(own, HEAVY));
}

fn begin_row(lid: u32) {
    if lid < MEMBERS {
        brackets[lid] = bracket_of(lid);
        atomicStore(&below[lid], 0u);
        atomicStore(&at_low[lid], 0u);
        atomicStore(&at_high[lid], 0u);
    }
    if lid == 0u {
        atomicStore(&any_nan, 0u);
    }
    workgroupBarrier();
    for (var member = 0u; member < MEMBERS; member++) {
        is_heavy |= brackets[member].heavy != 0u;
    }
}

fn begin_part(lid: u32) {
    if lid == 0u {
        atomicStore(&waiting, 0u);
        atomicStore(&end, STAGED);
    }
    if lid < MEMBERS {
        atomicStore(&found[lid], 0u);
    }
    workgroupBarrier();
}

fn is_needed() -> bool {
    return true;
}

fn count_all(tile: InputTile, valid: u32, index: u32) {
    count_keys(keys_of(tile), valid, index);
}

fn count_keys(found: FourKeys, valid: u32, index: u32) {
    var keys = found;
    if valid != ALL_VALID {
        keys = FourKeys(
            only(keys.a, flags(valid)),
            only(keys.b, flags(valid >> 4u)),
            only(keys.c, flags(valid >> 8u)),
            only(keys.d, flags(valid >> 12u)),
        );
    }
    has_nan |= any_is_nan(higher(higher(keys.a, keys.b), higher(keys.c, keys.d)));
    var inside = 0u;
    for (var member = 0u; member < MEMBERS; member++) {
        let under = bits_below(keys, brackets[member].first);
        own_below[member] += countOneBits(valid & under);
        inside |= bits_up_to(keys, brackets[member].last) & ~under;
    }
    inside &= valid;
    if inside != 0u {
        stage(keys, inside);
    }
    if is_heavy {
        count_ends(keys, valid);
    }
}

fn flags(bits: u32) -> vec4<bool> {
    return (vec4(bits) & vec4(1u, 2u, 4u, 8u)) != vec4(0u);
}

// Counts elements at the ends of brackets where they are no candidates. If both ends are one key, its elements are at the low end.
fn count_ends(keys: FourKeys, valid: u32) {
    for (var member = 0u; member < MEMBERS; member++) {
        let bracket = brackets[member];
        let has_low = select(0u, valid, (bracket.heavy & HEAVY_LOW) != 0u);
        let has_high = select(0u, valid, (bracket.heavy & HEAVY_HIGH) != 0u);
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

// Keeps those of sixteen keys whose bit is set.
fn stage(keys: FourKeys, bits: u32) {
    let number = countOneBits(bits);
    var at = atomicAdd(&waiting, number);
    if at + number <= STAGED {
        at = stage_four(at, keys.a, bits);
        at = stage_four(at, keys.b, bits >> 4u);
        at = stage_four(at, keys.c, bits >> 8u);
        at = stage_four(at, keys.d, bits >> 12u);
    } else {
        // Whatever comes later has no room either.
        atomicMin(&end, at);
        write_now(keys, bits);
    }
}

fn stage_four(first: u32, keys: Keys, bits: u32) -> u32 {
    var at = first;
    if (bits & 1u) != 0u {
        staged[at] = key_in(keys, 0u);
        at += 1u;
    }
    if (bits & 2u) != 0u {
        staged[at] = key_in(keys, 1u);
        at += 1u;
    }
    if (bits & 4u) != 0u {
        staged[at] = key_in(keys, 2u);
        at += 1u;
    }
    if (bits & 8u) != 0u {
        staged[at] = key_in(keys, 3u);
        at += 1u;
    }
    return at;
}

// Writes candidates to storage at once.
fn write_now(keys: FourKeys, bits: u32) {
    for (var member = 0u; member < MEMBERS; member++) {
        let inside = bits & bits_up_to(keys, brackets[member].last) & ~bits_below(keys, brackets[member].first);
        if inside != 0u {
            let rank = own_row * RANKS + brackets[member].rank;
            var at = atomicAdd(&state[rank * STATE + BETWEEN], countOneBits(inside));
            at = write_four(rank, at, keys.a, inside);
            at = write_four(rank, at, keys.b, inside >> 4u);
            at = write_four(rank, at, keys.c, inside >> 8u);
            at = write_four(rank, at, keys.d, inside >> 12u);
        }
    }
}

fn write_four(rank: u32, first: u32, keys: Keys, bits: u32) -> u32 {
    var at = first;
    for (var i = 0u; i < 4u; i++) {
        if ((bits >> i) & 1u) != 0u {
            write(rank, at, key_in(keys, i));
            at += 1u;
        }
    }
    return at;
}

fn write(rank: u32, place: u32, key: Key) {
    if place < params.room {
        candidates[rank * params.room + place] = key;
    }
}

fn is_inside(key: Key, member: u32) -> bool {
    return !is_below(key, brackets[member].first) & !is_below(brackets[member].last, key);
}

// Writes the candidates that wait.
fn end_part(part: u32, lid: u32) {
    workgroupBarrier();
    let number = min(atomicLoad(&waiting), atomicLoad(&end));
    if MEMBERS == 1u {
        if lid == 0u {
            places[0] = reserve(0u, number);
        }
        workgroupBarrier();
        for (var i = lid; i < number; i += WG) {
            write(own_row * RANKS + brackets[0].rank, places[0] + i, staged[i]);
        }
    } else {
        place_each(number, lid);
    }
    workgroupBarrier();
}

fn reserve(member: u32, number: u32) -> u32 {
    if number == 0u {
        return 0u;
    }
    return atomicAdd(&state[(own_row * RANKS + brackets[member].rank) * STATE + BETWEEN], number);
}

fn place_each(number: u32, lid: u32) {
    // Candidates of this invocation for each bracket; then the places of the next ones.
    var inside = array<u32, MOST>();
    for (var i = lid; i < number; i += WG) {
        let key = staged[i];
        for (var member = 0u; member < MEMBERS; member++) {
            inside[member] += select(0u, 1u, is_inside(key, member));
        }
    }
    for (var member = 0u; member < MEMBERS; member++) {
        if inside[member] > 0u {
            inside[member] = atomicAdd(&found[member], inside[member]);
        }
    }
    workgroupBarrier();
    if lid < MEMBERS {
        places[lid] = reserve(lid, atomicLoad(&found[lid]));
    }
    workgroupBarrier();
    for (var i = lid; i < number; i += WG) {
        let key = staged[i];
        for (var member = 0u; member < MEMBERS; member++) {
            if is_inside(key, member) {
                write(own_row * RANKS + brackets[member].rank, places[member] + inside[member], key);
                inside[member] += 1u;
            }
        }
    }
}

fn end_row(lid: u32) {
    for (var member = 0u; member < MEMBERS; member++) {
        atomicAdd(&below[member], own_below[member]);
    }
    if has_nan {
        atomicStore(&any_nan, 1u);
    }
    workgroupBarrier();
    if (lid < MEMBERS) & (brackets[lid].rank < RANKS) {
        let words = (own_row * RANKS + brackets[lid].rank) * STATE;
        atomicAdd(&state[words + BELOW], atomicLoad(&below[lid]));
        if brackets[lid].heavy != 0u {
            atomicAdd(&state[words + AT_LOW], atomicLoad(&at_low[lid]));
            atomicAdd(&state[words + AT_HIGH], atomicLoad(&at_high[lid]));
        }
        if atomicLoad(&any_nan) == 1u {
            atomicStore(&state[words + NANS], 1u);
        }
    }
}
