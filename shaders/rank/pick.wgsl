// pick: the ends of brackets, from the sample.
//
// If the sample is a fair picture of a row, the key of rank r of n is near rank r * s / n of its s keys: mostly within a standard
// deviation of the sample's ranks, sqrt(s * p * (1 - p)) with p = r / n, and in all but one of ten thousand rows within four. The host
// has worked out these two ranks. Here a workgroup finds the key of one of them: digit by digit, from the top, it counts the keys of
// the sample that still may be meant by their next digit, and keeps those with the digit that the rank falls on.
//
// Digits count from the sample's minimum and have no more bits than its range. Floats between 0 and 1 would otherwise share their
// first digit, and their counters would wait for each other.
#import io
#import keys
#import choose
#import list

@group(0) @binding(6) var<storage, read> sampled: array<Key>;

var<workgroup> least: atomic<u32>;
var<workgroup> most: atomic<u32>;
var<workgroup> extent: vec2<u32>;

// The sample's minimum, and the bits of its range.
fn range_of(start: u32, lid: u32) -> vec2<u32> {
    if lid == 0u {
        atomicStore(&least, 0xffffffffu);
        atomicStore(&most, 0u);
    }
    workgroupBarrier();
    var low = 0xffffffffu;
    var high = 0u;
    for (var i = lid; i < params.samples; i += WG) {
        let key = sampled[start + i];
        low = min(low, key);
        high = max(high, key);
    }
    atomicMin(&least, low);
    atomicMax(&most, high);
    workgroupBarrier();
    if lid == 0u {
        let lowest = atomicLoad(&least);
        extent = vec2(lowest, 32u - countLeadingZeros(atomicLoad(&most) - lowest));
    }
    return workgroupUniformLoad(&extent);
}

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    // Each rank has two ends.
    let rank = workgroup.x >> 1u;
    let is_high = (workgroup.x & 1u) == 1u;
    let wanted = list[rank][2u + (workgroup.x & 1u)];
    let start = workgroup.y * params.samples;
    let range = range_of(start, lid);
    var base = range.x;
    var bits = range.y;
    var left = wanted;
    for (var round = 0u; round < 3u; round++) {
        let shift = max(bits, DIGIT) - DIGIT;
        clear_tally(lid);
        workgroupBarrier();
        for (var i = lid; i < params.samples; i += WG) {
            let digit = (sampled[start + i] - base) >> shift;
            if digit < BINS {
                atomicAdd(&tally[digit], 1u);
            }
        }
        workgroupBarrier();
        let found = choose(min(left, params.samples - 1u), lid);
        base += found.digit << shift;
        left -= found.before;
        bits = shift;
    }
    if lid == 0u {
        var end = base;
        // An end beyond the sample is open.
        if wanted >= params.samples {
            end = select(lowest(), highest(), is_high);
        }
        put(workgroup.y * RANKS + rank, select(LOW, HIGH, is_high), end);
    }
}
