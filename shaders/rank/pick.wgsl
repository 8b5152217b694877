// pick: the ends of brackets, from the sample.
//
// Reads the sample, once for its range and once for each digit. Writes two keys for each rank, and whether they repeat in the sample.
//
//     sample in order     k0 … k32 … k52 … k72 … k99      100 keys, rank 0.52 n
//     bracket                  low         high           four standard deviations of 5 to either side
//
// In a fair sample of s keys the key of rank r of n is near rank r * s / n: mostly within a standard deviation, sqrt(s * p * (1 - p))
// with p = r / n, and in all but one of ten thousand rows within four. The host computes the ranks of the bracket's two ends. A workgroup
// finds the key of one end by a radix selection. Digits count from the sample's minimum and have no more bits than its range: floats
// between 0 and 1 would otherwise share their first digit, and contend for its counter.
//
// Cost: a workgroup for each end reads the sample four times, seven of keys of 64 bits, mostly from the cache.
#import rank/shared/io
#import rank/shared/grid_entry
#import rank/keys/*
#import rank/order/*
#import rank/shared/choose
#import rank/shared/four_keys
#import rank/shared/list
#import rank/shared/ends

@group(0) @binding(6) var<storage, read> sampled: array<StoredKeys>;

// The most keys of the sample that may be equal to an end whose elements are candidates.
const FEW_REPEATS: u32 = 2u;

var<workgroup> least: atomic<u32>;
var<workgroup> most: atomic<u32>;
var<workgroup> extent: vec2<u32>;

fn load(start: u32, at: u32) -> FourKeys {
    let last = params.samples / 4u - 1u;
    return FourKeys(
        keys_in(sampled[start + min(at, last)]),
        keys_in(sampled[start + min(at + WG, last)]),
        keys_in(sampled[start + min(at + 2u * WG, last)]),
        keys_in(sampled[start + min(at + 3u * WG, last)]),
    );
}

// The sample's minimum, and the bits of its range: of the words that decide first.
fn range_of(start: u32, lid: u32) -> vec2<u32> {
    if lid == 0u {
        atomicStore(&least, 0xffffffffu);
        atomicStore(&most, 0u);
    }
    workgroupBarrier();
    // Past the end, the last keys come again.
    var low = vec4(0xffffffffu);
    var high = vec4(0u);
    for (var at = lid; at < params.samples / 4u; at += 4u * WG) {
        let keys = load(start, at);
        low = min(low, min(min(leading(keys.a), leading(keys.b)), min(leading(keys.c), leading(keys.d))));
        high = max(high, max(max(leading(keys.a), leading(keys.b)), max(leading(keys.c), leading(keys.d))));
    }
    atomicMin(&least, min(min(low.x, low.y), min(low.z, low.w)));
    atomicMax(&most, max(max(high.x, high.y), max(high.z, high.w)));
    workgroupBarrier();
    if lid == 0u {
        let lowest = atomicLoad(&least);
        extent = vec2(lowest, 32u - countLeadingZeros(atomicLoad(&most) - lowest));
    }
    return workgroupUniformLoad(&extent);
}

fn kernel(workgroup: vec2<u32>, lid: u32) {
    // Each rank has two ends.
    let rank = workgroup.x >> 1u;
    let is_high = (workgroup.x & 1u) == 1u;
    let asked = asked_for(rank);
    let end_rank = select(asked.z, asked.w, is_high);
    let number = params.samples / 4u;
    let start = workgroup.y * number;
    let range = range_of(start, lid);
    var base = first_with(range.x);
    var bits = range.y + OPEN_BITS;
    var left = min(end_rank, params.samples - 1u);
    var equal = 0u;
    for (var round = 0u; round < DIGITS; round++) {
        let shift = max(bits, DIGIT) - DIGIT;
        clear_tally(lid);
        workgroupBarrier();
        for (var at = lid; at < number; at += 4u * WG) {
            let keys = load(start, at);
            count_digits(keys.a, 4u * at, params.samples, base, shift);
            count_digits(keys.b, 4u * (at + WG), params.samples, base, shift);
            count_digits(keys.c, 4u * (at + 2u * WG), params.samples, base, shift);
            count_digits(keys.d, 4u * (at + 3u * WG), params.samples, base, shift);
        }
        workgroupBarrier();
        let found = choose(left, lid);
        base = above(base, found.digit, shift);
        left -= found.before;
        equal = found.equal;
        bits = shift;
    }
    if lid == 0u {
        let own = workgroup.y * RANKS + rank;
        // An end beyond the sample is open.
        let is_open = end_rank >= params.samples;
        let open = select(lowest(), highest(), is_high);
        put_key(own, select(LOW, HIGH, is_high), select(base, open, is_open));
        if !is_open & (equal > FEW_REPEATS) {
            let end = select(LOW_REPEATS, HIGH_REPEATS, is_high);
            atomicOr(&state[own * STATE + ENDPOINT_REPEATS], end | select(0u, LOW_REPEATS, same(base, lowest())));
        }
    }
}
