// The links of a chain: a state is published among them, looked at and cleared.
//
// Atomics are relaxed: nothing orders two stores. So a state travels in halves of words, and each atomic word holds a half and a flag:
//
//     word       89abcdef
//     links      0001 89ab   0001 cdef       there, if all halves have their flags
#import <words>

@group(0) @binding(4) var<storage, read_write> links: array<atomic<u32>>;

const IS_THERE: u32 = 0x10000u;

struct Seen {
    words: Words,
    is_there: bool,
}

fn put_words(at: u32, words: Words) {
#for word in 0..WORDS
    atomicStore(&links[at + $(2 * word)u], IS_THERE | (words[$word] >> 16u));
    atomicStore(&links[at + $(2 * word + 1)u], IS_THERE | (words[$word] & 0xffffu));
#end
}

fn seen_words(at: u32) -> Seen {
#for word in 0..WORDS
    let high$word = atomicLoad(&links[at + $(2 * word)u]);
    let low$word = atomicLoad(&links[at + $(2 * word + 1)u]);
#end
    var flags = IS_THERE;
    #for word in 0..WORDS: flags &= high$word & low$word;
    let words = Words(
        #for word in 0..WORDS: (high$word << 16u) | (low$word & 0xffffu),
        #for word in WORDS..PADDED: 0u,
    );
    return Seen(words, flags != 0u);
}

fn clear_words(at: u32) {
#for word in 0..WORDS
    atomicStore(&links[at + $(2 * word)u], 0u);
    atomicStore(&links[at + $(2 * word + 1)u], 0u);
#end
}
