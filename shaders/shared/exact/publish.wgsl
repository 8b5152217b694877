// Publishing of an exact sum's workgroups: a window each, and one set of limbs for all of them.
//
// partials.wgsl says why publishing is safe. Here a partial is several words, one per invocation, so a window takes one exchange instruction.
// Words are stored side by side over all windows, so the last workgroup's loads coalesce. Workgroups add to the same limbs, as additions
// commute; the last one takes the total, and leaves zeros for the next run.
#import lib/grid/entry
#import <operator>
#import <words>
#import lib/grid/partials
#import shared/exact/limbs
#import shared/exact/states

// Behind the ticket counter's cache line: both signs' limbs, and the tally of states.
const PUBLISHED: u32 = 32u;
const PUBLISHED_TALLY: u32 = PUBLISHED + 2u * LIMBS;

// The bits that the additions of all invocations returned, masked by zero: always zero, but no compiler knows that. See partials.wgsl.
var<workgroup> found: atomic<u32>;

// The words of this workgroup's window. Written by invocation 0.
var<workgroup> published: Words;
// Flag: 1 in the last workgroup, otherwise 0. Written by invocation 0, read by all.
var<workgroup> is_last: u32;

// The place of a window's word.
fn place_of(slot: u32, word: u32) -> u32 { return FIRST_SLOT + word * params.own.tickets + slot; }
fn fetch_word(slot: u32, word: u32) -> u32 { return atomicOr(&partials[place_of(slot, word)], 0u); }

fn collect_window(slot: u32) -> Acc {
    let low = vec2<u32>(fetch_word(slot, 0u), fetch_word(slot, 1u));
    let high = vec2<u32>(fetch_word(slot, 2u), fetch_word(slot, 3u));
    return Acc(vec4<u32>(low, high), fetch_word(slot, 4u));
}

// Adds a word, and its carries up to the word before `end`. Returns the bits of all words that were there.
fn add_published(place: u32, end: u32, word: u32) -> u32 {
    var seen = 0u;
    var carry = word;
    for (var i = place; carry != 0u && i < turns(end); i++) {
        let before = atomicAdd(&partials[i], carry);
        seen |= before;
        carry = select(0u, 1u, before + carry < before);
    }
    return seen;
}

// Adds what this workgroup has spilled to the published limbs. Returns the bits that were there, after all additions of this
// invocation have been performed.
fn publish_limbs(at: Place) -> u32 {
    var seen = 0u;
    for (var i = at.lid; i < 2u * COPIES * LIMBS; i += WG) {
        let begin = PUBLISHED + ((i / LIMBS) & 1u) * LIMBS;
        seen |= add_published(begin + i % LIMBS, begin + LIMBS, atomicLoad(&limbs[i]));
    }
#ifdef reads_partials
    for (var i = at.lid; i < 4u; i += WG) {
        let begin = PUBLISHED_TALLY + (i & 2u);
        seen |= add_published(begin + (i & 1u), begin + 2u, atomicLoad(&tally[i]));
    }
#endif
    return seen;
}

// Publishes the workgroup's window, which invocation 0 holds, and its limbs if it has spilled numbers. `is_last` says then
// whether all workgroups have published.
fn publish_words(window: Acc, has_spilled: bool, slot: u32, at: Place) {
    if at.lid == 0u {
        published = to_words(window);
        atomicStore(&found, 0u);
    }
    workgroupBarrier();
    var seen = 0u;
    // Other invocations than those that take the limbs: all of it is on its way at the same time.
    for (var w = WG - 1u - at.lid; w < ACC_WORDS; w += WG) {
        seen |= atomicExchange(&partials[place_of(slot, w)], published[w]);
    }
    if has_spilled {
        seen |= publish_limbs(at);
    }
    atomicOr(&found, seen & params.own.zero);
    workgroupBarrier();
    if at.lid == 0u {
        let ticket = atomicAdd(&partials[0], 1u + atomicLoad(&found));
        is_last = select(0u, 1u, ticket == params.own.tickets - 1u);
    }
}

// Takes published limb `i` of both signs', and leaves zero.
fn take_limb(i: u32) -> u32 {
    if i < 2u * LIMBS {
        return atomicExchange(&partials[PUBLISHED + i], 0u);
    }
    return 0u;
}

// Adds it to this workgroup's limbs; a barrier has to follow.
fn add_limb_of_all(i: u32, word: u32) { add_limb((i / LIMBS) * LIMBS, i % LIMBS, word); }

#ifdef reads_partials
fn collect_tally(at: Place) {
    for (var i = at.lid; i < 4u; i += WG) {
        atomicStore(&tally[i], atomicExchange(&partials[PUBLISHED_TALLY + i], 0u));
    }
}
#endif
