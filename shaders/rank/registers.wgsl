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

// The first word of a key's hash. No two keys have the same two words.
#ifdef bits_64
fn first_of(key: Key) -> u32 {
    return hash(key.x ^ hash(key.y));
}

fn second_of(key: Key, first: u32) -> u32 {
    return key.y ^ hash(first ^ 0x5bd1e995u);
}
#else
fn first_of(key: Key) -> u32 {
    return hash(key);
}

fn second_of(key: Key, first: u32) -> u32 {
    return key ^ hash(first ^ 0x5bd1e995u);
}
#endif

// Zeros before the first one among the bits that do not choose a register, and one more: at most 51. The second word is
// hardly ever needed.
fn rank_of(key: Key, first: u32) -> u32 {
    let rest = first << CHOOSING;
    if rest != 0u {
        return countLeadingZeros(rest) + 1u;
    }
    return 33u - CHOOSING + countLeadingZeros(second_of(key, first));
}

fn count(key: Key) {
    let first = first_of(key);
    let place = first >> (32u - CHOOSING);
    let rank = rank_of(key, first);
    let shift = 8u * (place & 3u);
    let four = atomicLoad(&fours[place >> 2u]);
    if ((four >> shift) & 255u) < rank {
        raise(place >> 2u, shift, rank);
    }
}

// Makes a register the larger one of itself and a rank. The others of its word may change at the same time.
fn raise(word: u32, shift: u32, rank: u32) {
    var four = atomicLoad(&fours[word]);
    while ((four >> shift) & 255u) < rank {
        let larger = (four & ~(255u << shift)) | (rank << shift);
        let found = atomicCompareExchangeWeak(&fours[word], four, larger);
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
