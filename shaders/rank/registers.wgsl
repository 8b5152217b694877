// registers: what HyperLogLog remembers of the elements.
//
// A hash spreads keys evenly over numbers of 64 bits. Its first 14 bits choose a register. Of the other bits, a run of r - 1 zeros and a
// one begins one of 2^r numbers, so the longest run that a register has seen tells how many different keys it has seen: about 2^r. An
// element that comes again changes nothing, and neither does the order. So registers of parts become those of the whole by the larger
// of each two.
//
// A workgroup has registers of its own, four to a word, and hands them on at its end. Most elements change nothing and only read.
//
// Flajolet, Fusy, Gandouet, Meunier: HyperLogLog (2007). With numbers of 64 bits, as Heule, Nunkesser and Hall (2013) proposed, none of
// them is likely to be that of two keys.
#import io
#import count_each
#import keys
#import key_order
#import hash

@group(0) @binding(1) var<storage, read_write> registers: array<atomic<u32>>;

// Bits that choose a register, and the words that hold four registers each.
const CHOOSING: u32 = 14u;
const WORDS: u32 = 4096u;

var<workgroup> fours: array<atomic<u32>, WORDS>;

#ifdef bits_64
fn words_of(key: Key) -> vec2<u32> {
    return key;
}
#else
fn words_of(key: Key) -> vec2<u32> {
    return vec2(0u, key);
}
#endif

// The hash of 64 bits. Each line can be undone, so no two keys have the same one.
fn hash_of(key: Key) -> vec2<u32> {
    var words = words_of(key);
    words.x ^= hash(words.y);
    words.y ^= hash(words.x ^ 0x5bd1e995u);
    words.x ^= hash(words.y ^ 0xa3c59ac3u);
    return words;
}

// Zeros before the first one among the bits that do not choose a register, and one more: at most 51.
fn rank_of(words: vec2<u32>) -> u32 {
    let first = (words.x << CHOOSING) | (words.y >> (32u - CHOOSING));
    if first != 0u {
        return countLeadingZeros(first) + 1u;
    }
    return 33u + min(countLeadingZeros(words.y << CHOOSING), 32u - CHOOSING);
}

fn count(key: Key) {
    let words = hash_of(key);
    let place = words.x >> (32u - CHOOSING);
    let rank = rank_of(words);
    let shift = 8u * (place & 3u);
    var four = atomicLoad(&fours[place >> 2u]);
    while ((four >> shift) & 255u) < rank {
        let larger = (four & ~(255u << shift)) | (rank << shift);
        let found = atomicCompareExchangeWeak(&fours[place >> 2u], four, larger);
        if found.exchanged {
            break;
        }
        four = found.old_value;
    }
}

fn count4(keys: Keys) {
    count(key_in(keys, 0u));
    count(key_in(keys, 1u));
    count(key_in(keys, 2u));
    count(key_in(keys, 3u));
}

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    for (var word = lid; word < WORDS; word += WG) {
        atomicStore(&fours[word], 0u);
    }
    workgroupBarrier();
    count_each(workgroup.x, lid);
    workgroupBarrier();
    for (var place = lid; place < 4u * WORDS; place += WG) {
        let rank = (atomicLoad(&fours[place >> 2u]) >> (8u * (place & 3u))) & 255u;
        if rank > atomicLoad(&registers[place]) {
            atomicMax(&registers[place], rank);
        }
    }
}
