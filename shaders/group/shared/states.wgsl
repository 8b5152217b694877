// The state of each group in storage: what all workgroups have added so far. The last dispatch reads and resets it.
//
// A sum is one integer in units of 2^-149, in limbs of 32 bits (shared/exact/limbs.wgsl), a sum of squares one in units of 2^-298. Magnitudes
// of negative numbers have their own limbs. The order of the additions does not matter.
#import group/shared/io

// The words of a group: its elements; those that are -0; flags; the keys of the least and the greatest; then, for sums, limbs; and for variances those
// of the sum of squares.
const COUNT: u32 = 0u;
const ZEROS: u32 = 1u;
const FLAGS: u32 = 2u;
const LEAST: u32 = 3u;
const MOST: u32 = 4u;
const SUM: u32 = 5u;
const SQUARE_SUM: u32 = 27u;
override STATE: u32 = 5u;

// Limbs of a sign; those of squares, which follow both signs as a third; and the bit of 1.
const STATE_LIMBS: u32 = 11u;
const SQUARE_LIMBS: u32 = 19u;
const SQUARE_SIGN: u32 = 2u;
const UNIT: u32 = 149u;

// Flags.
const HAS_NAN: u32 = 1u;
const HAS_PLUS_INFINITY: u32 = 2u;
const HAS_MINUS_INFINITY: u32 = 4u;

// Behind the groups is the number of ids out of range, then the position of each group by key.
@group(0) @binding(4) var<storage, read_write> states: array<atomic<u32>>;

fn state_of(id: u32) -> u32 { return id * STATE; }

// Leaves a word as it is before a run.
fn take(place: u32) -> u32 { return atomicExchange(&states[place], 0u); }

// The ids that no group has: an invocation adds its number of them once.
fn add_rejected(rejected: u32) {
    if rejected > 0u {
        atomicAdd(&states[GROUPS * STATE], rejected);
    }
}

fn raise(id: u32, flag: u32) {
    let place = state_of(id) + FLAGS;
    // Most are there already, and loads do not wait for each other.
    if (atomicLoad(&states[place]) & flag) == 0u {
        atomicOr(&states[place], flag);
    }
}

// Adds a word to a limb of a group's sum, and its carries to those above. Out of the last limb none comes.
fn add_word(id: u32, sign: u32, limb: u32, word: u32) {
    let begin = state_of(id) + SUM + sign * STATE_LIMBS;
    let end = select(STATE_LIMBS, SQUARE_LIMBS, sign == SQUARE_SIGN);
    var at = limb;
    var carry = word;
    while carry != 0u && at < end {
        let before = atomicAdd(&states[begin + at], carry);
        carry = select(0u, 1u, before + carry < before);
        at += 1u;
    }
}

// Adds a magnitude of three words, the lowest first, at bit `p`.
fn add_magnitude(id: u32, sign: u32, p: u32, words: vec3<u32>) {
    let k = p & 31u;
    let limb = p >> 5u;
    // In two steps, as no shift goes by 32.
    let over = (words >> vec3<u32>(1u)) >> vec3<u32>(31u - k);
    let at = words << vec3<u32>(k);
    add_word(id, sign, limb, at.x);
    add_word(id, sign, limb + 1u, at.y | over.x);
    add_word(id, sign, limb + 2u, at.z | over.y);
    add_word(id, sign, limb + 3u, over.z);
}
