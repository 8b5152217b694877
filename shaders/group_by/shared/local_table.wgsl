// A hash table in workgroup memory, with a nonzero word per key. A search probes at most PROBES slots, a constant of the kernel: two slots half a
// table apart, then the two slots behind them, and so on.

// The number of slots, a power of two; and none of them.
override SLOTS: u32 = 2u;
const NO_SLOT: u32 = 0xffffffffu;

var<workgroup> words: array<atomic<u32>, SLOTS>;

// Begins an empty table. A barrier has to follow.
fn begin_slots(lid: u32) {
    for (var slot = lid; slot < SLOTS; slot += WG) {
        atomicStore(&words[slot], 0u);
    }
}

fn words_at(at: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(atomicLoad(&words[at.x]), atomicLoad(&words[at.y]), atomicLoad(&words[at.z]), atomicLoad(&words[at.w]));
}

// The slots of four words by the first slot of each; NO_SLOT of a word that is at none of its first two.
fn find_slots(four: vec4<u32>, first: vec4<u32>) -> vec4<u32> {
    let is_farther = words_at(first) != four;
    // Words found at once all read slot 0: a broadcast, without bank conflicts.
    let second = select(vec4<u32>(0u), first + vec4<u32>(SLOTS / 2u), is_farther);
    let is_nowhere = is_farther & (words_at(second) != four);
    return select(select(first, second, is_farther), vec4<u32>(NO_SLOT), is_nowhere);
}

// The slot of a word, NO_SLOT if all have others. And true if the word was in none.
struct Slot {
    at: u32,
    is_new: bool,
}

// Finds the slot of a word, or takes a free one. That may fail although it is free; a word has two slots then.
fn take_slot(word: u32, first: u32) -> Slot {
    for (var i = 0u; i < PROBES; i++) {
        let at = ((first + (i >> 1u)) & (SLOTS / 2u - 1u)) + (i & 1u) * (SLOTS / 2u);
        var there = atomicLoad(&words[at]);
        if there == 0u {
            let taken = atomicCompareExchangeWeak(&words[at], 0u, word);
            if taken.exchanged {
                return Slot(at, true);
            }
            there = taken.old_value;
        }
        if there == word {
            return Slot(at, false);
        }
    }
    return Slot(NO_SLOT, true);
}
