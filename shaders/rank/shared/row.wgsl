// The order statistics of a row, found by one workgroup.
//
// A row of a thousand elements is read once; each invocation keeps sixteen keys in registers:
//
//   1. The lowest and the highest key of the row are found.
//   2. The range between them is cut into 256 bins of equal width, and every key is counted in its bin. Sums over the bins say which of
//      them holds the rank, and its rank inside that bin.
//   3. While that bin has too many keys, it is cut into 256 bins itself, unless it is as wide as one key.
//   4. The few candidates that are left go to workgroup memory, and each finds its rank by counting those with lower keys.
//
// Few winners: each invocation first contributes only its best key. The k-th of these bounds the winners, and hardly more elements are within
// the bound: 43 for 32 winners among 1024 elements of 64 invocations.
//
// Cost per key: four integer instructions to make it, two for the range, four for its bin, three to find that it is no candidate.
#import rank/shared/io
#import rank/shared/input_words
#import lib/grid/entry
#import rank/shared/four_keys
#import rank/keys/*
#import rank/shared/list
#import lib/workgroup/sum_before

// The most candidates that are ranked at once, and a sixteenth of that.
override CAPACITY: u32 = 64u;
override BLOCKS: u32 = 4u;
// True: the first elements are the result, and not only the one with a rank.
override WINNERS: bool = false;
// True: of each invocation only the best of the keys in registers is counted, at first.
override COUNTS_BEST: bool = false;
// True: rows are segments, of any lengths.
override SEGMENTS: bool = false;
const BINS: u32 = 256u;
// Keys of an invocation in registers.
const HELD: u32 = 16u;

// The elements of a row.
struct RowSpan {
    // The position of the first of them in the binding, and their number.
    begin: u32,
    len: u32,
    // The elements of which the best of each invocation are looked at, and the number of these that make the first bound.
    samples: u32,
    best: u32,
}

// Keys from one to another, both included.
struct Range {
    low: Key,
    high: Key,
}

// The bins of two ranks, the elements before the first of these bins, and those through the second.
struct Bins {
    first: u32,
    before: u32,
    second: u32,
    through: u32,
    // 1 if a bin is as wide as one key.
    is_single: u32,
}

// The ranks of the elements in the range: from one to before another. 1 if all are one key, and not few.
struct Ranks {
    start: u32,
    end: u32,
    is_single: u32,
}

var<workgroup> lowest_of_row: atomic<u32>;
var<workgroup> highest_of_row: atomic<u32>;
var<workgroup> bins: array<atomic<u32>, BINS>;
var<workgroup> chosen: Bins;
var<workgroup> filled: atomic<u32>;
var<workgroup> candidate_keys: array<Key, CAPACITY>;
var<workgroup> candidate_indices: array<u32, CAPACITY>;
// The keys of candidates again, in vectors, and the highest key at the end.
var<workgroup> blocks: array<array<vec4<u32>, 4>, BLOCKS>;
// Candidates with each rank: those with equal keys have the same.
var<workgroup> taken: array<atomic<u32>, CAPACITY>;
// Candidates in the order of their keys, and equal ones in any order.
var<workgroup> sorted: array<u32, CAPACITY>;

var<private> held: FourKeys;
// The position of the row in the input, and its elements.
var<private> begin: u32;
var<private> len: u32;
// The lowest and the highest own key.
var<private> least: Key;
var<private> most: Key;
// The range that is cut or collected, and the width of its bins, as a power of two.
var<private> range: Range;
var<private> shift: u32;

// Loads four vectors that are four workgroups apart. Beyond the end of the row are the highest keys.
fn load(i: u32) -> FourKeys {
    if (i + 12u * WG + 4u <= len) & is_aligned() {
        let at = (begin + i) >> 2u;
        let keys = FourKeys(
            keys_of_four(vector(at)),
            keys_of_four(vector(at + WG)),
            keys_of_four(vector(at + 2u * WG)),
            keys_of_four(vector(at + 3u * WG)),
        );
        update_extremes(min(min(keys.a, keys.b), min(keys.c, keys.d)), max(max(keys.a, keys.b), max(keys.c, keys.d)));
        return keys;
    }
    return FourKeys(load_vector(i), load_vector(i + 4u * WG), load_vector(i + 8u * WG), load_vector(i + 12u * WG));
}

fn load_vector(i: u32) -> vec4<u32> {
    var keys = vec4(highest());
    if i < len {
        let last = begin + len - 1u;
        if is_aligned() {
            keys = keys_of_four(vector((begin + i) >> 2u));
        } else {
            // Past the end, the last element comes again.
            let at = min(vec4(begin + i) + vec4(0u, 1u, 2u, 3u), vec4(last));
            keys = vec4(element(at.x), element(at.y), element(at.z), element(at.w));
        }
        update_extremes(keys, keys);
        keys = select(vec4(highest()), keys, vec4(i, i + 1u, i + 2u, i + 3u) < vec4(len));
    }
    return keys;
}

// True if elements of the row are in whole vectors.
fn is_aligned() -> bool {
    return ((begin | len) & 3u) == 0u;
}

// Looks at some keys, for the ends of the row.
fn update_extremes(low: vec4<u32>, high: vec4<u32>) {
    least = min(least, min(min(low.x, low.y), min(low.z, low.w)));
    most = max(most, max(max(high.x, high.y), max(high.z, high.w)));
}

// The place in the list of the first entry of a row: each segment has some.
fn first_entry(row: u32, entries: u32) -> u32 {
    return params.list + select(0u, row * entries, SEGMENTS);
}

// A row by its number or, if it is a segment, by its entry: two words about its ranks or its winners, its place in the buffer, its length.
fn row_span(row: u32, entry: vec4<u32>) -> RowSpan {
    if SEGMENTS {
        return RowSpan(entry.z - params.index, entry.w, entry.x, entry.y);
    }
    return RowSpan(params.first + row * params.count, params.count, params.samples, params.k);
}

// Loads a row, or a sample of it, and keeps as much as there are registers for.
fn load_row(row: RowSpan, at: Place) {
    len = row.len;
    begin = row.begin;
    least = highest();
    most = lowest();
    if at.lid == 0u {
        atomicStore(&lowest_of_row, highest());
        atomicStore(&highest_of_row, lowest());
    }
    held = load(4u * at.lid);
    load_rest(select(len, row.samples, COUNTS_BEST), at.lid);
    workgroupBarrier();
}

// Loads the elements up to one that are not in registers, for the lowest and the highest of them.
fn load_rest(stop: u32, lid: u32) {
    for (var i = HELD * WG; i < stop; i += HELD * WG) {
        load(i + 4u * lid);
    }
}

// The range from the lowest key of all invocations to their highest `high`.
fn range_to(high: Key) -> Range {
    atomicMin(&lowest_of_row, least);
    atomicMax(&highest_of_row, high);
    workgroupBarrier();
    return Range(atomicLoad(&lowest_of_row), atomicLoad(&highest_of_row));
}

fn clear(lid: u32) {
    for (var bin = lid; bin < BINS; bin += WG) {
        atomicStore(&bins[bin], 0u);
    }
    if lid == 0u {
        atomicStore(&filled, 0u);
    }
}

// Cuts the range into bins.
fn choose_bin_width() {
    let bits = 32u - countLeadingZeros(range.high - range.low);
    shift = bits - min(bits, 8u);
}

// Finds those of four elements that are in the range.
fn in_range(keys: vec4<u32>, i: u32) -> vec4<bool> {
    var is_in = keys - vec4(range.low) <= vec4(range.high - range.low);
    if range.high == highest() {
        is_in &= vec4(i, i + 1u, i + 2u, i + 3u) < vec4(len);
    }
    return is_in;
}

fn count(keys: FourKeys, i: u32) {
    count_four(keys.a, i);
    count_four(keys.b, i + 4u * WG);
    count_four(keys.c, i + 8u * WG);
    count_four(keys.d, i + 12u * WG);
}

fn count_four(keys: vec4<u32>, i: u32) {
    let is_in = in_range(keys, i);
    let places = (keys - vec4(range.low)) >> vec4(shift);
    #for c in x y z w: if is_in.$c { atomicAdd(&bins[places.$c], 1u); }
}

fn count_all(lid: u32) {
    clear(lid);
    choose_bin_width();
    workgroupBarrier();
    count(held, 4u * lid);
    for (var i = HELD * WG + 4u * lid; i < len; i += HELD * WG) {
        count(load(i), i);
    }
    workgroupBarrier();
}

// A bit for each element in the range.
fn mark(keys: FourKeys, i: u32) -> u32 {
    return bits_of(
        in_range(keys.a, i),
        in_range(keys.b, i + 4u * WG),
        in_range(keys.c, i + 8u * WG),
        in_range(keys.d, i + 12u * WG),
    );
}

// Collects the marked elements. They are few, and the cache has most of them.
fn collect(marked: u32, i: u32) {
    if marked != 0u {
        var at = atomicAdd(&filled, countOneBits(marked));
        for (var left = marked; left != 0u; left &= left - 1u) {
            let index = i + place_of_lowest(left);
            if at < CAPACITY {
                candidate_keys[at] = element(begin + index);
                candidate_indices[at] = index;
            }
            at += 1u;
        }
    }
}

// Collects all elements of the range, of which there may be more than there is room for.
fn collect_all(lid: u32) {
    collect(mark(held, 4u * lid), 4u * lid);
    for (var i = HELD * WG + 4u * lid; i < len; i += HELD * WG) {
        collect(mark(load(i), i), i);
    }
    workgroupBarrier();
}

// The bins of two ranks in the range, all of which has been counted.
fn choose(rank: u32, next: u32, at: Place) -> Bins {
    var own = vec4(0u);
    if at.lid < BINS / 4u {
        let bin = 4u * at.lid;
        own = vec4(
            atomicLoad(&bins[bin]),
            atomicLoad(&bins[bin + 1u]),
            atomicLoad(&bins[bin + 2u]),
            atomicLoad(&bins[bin + 3u]),
        );
    }
    let sum = (own.x + own.y) + (own.z + own.w);
    let before = sum_before(sum, at.lid);
    // The elements through each of the four bins.
    let ends = vec4(before) + vec4(own.x, own.x + own.y, own.x + own.y + own.z, sum);
    if (before <= rank) & (rank < ends.w) {
        let bin = bins_before(ends, rank);
        chosen.first = 4u * at.lid + bin;
        chosen.before = before;
        chosen.before += select(0u, own.x, bin > 0u) + select(0u, own.y, bin > 1u) + select(0u, own.z, bin > 2u);
        chosen.is_single = select(0u, 1u, shift == 0u);
    }
    if (before <= next) & (next < ends.w) {
        let bin = bins_before(ends, next);
        chosen.second = 4u * at.lid + bin;
        chosen.through = ends.w;
        chosen.through -= select(0u, own.w, bin < 3u) + select(0u, own.z, bin < 2u) + select(0u, own.y, bin < 1u);
    }
    return workgroupUniformLoad(&chosen);
}

// The number of bins that end at or before a rank: the last one does not.
fn bins_before(ends: vec4<u32>, rank: u32) -> u32 {
    let is_passed = select(vec4(0u), vec4(1u), ends <= vec4(rank));
    return is_passed.x + is_passed.y + is_passed.z;
}

// Makes the bins from one to another the range.
fn narrow_to_bins(first: u32, second: u32) {
    let last = (second << shift) | ((1u << shift) - 1u);
    range.high = range.low + min(last, range.high - range.low);
    range.low += first << shift;
}

// Cuts the range until it has two ranks and few elements, counted from its own start or, of winners, from the start before.
fn narrow(rank: u32, wanted: u32, at: Place) -> Ranks {
    var ranks = Ranks(0u, 0u, 0u);
    var next = wanted;
    loop {
        let before = ranks.start;
        count_all(at.lid);
        let found = choose(rank - before, next - before, at);
        ranks = Ranks(before + found.before, before + found.through, 0u);
        let is_few = ranks.end - select(ranks.start, 0u, WINNERS) <= CAPACITY;
        let is_one = (found.first == found.second) & (found.is_single == 1u) & !is_few;
        ranks.is_single = select(0u, 1u, is_one);
        // If two bins have too many elements, the first rank alone is looked for.
        narrow_to_bins(found.first, select(found.first, found.second, is_few));
        next = rank;
        if is_few | is_one {
            break;
        }
    }
    return ranks;
}

// Sorts `number` candidates.
fn sort(number: u32, lid: u32) {
    for (var i = lid; i < ((number + 15u) >> 4u) * 4u; i += WG) {
        blocks[i >> 2u][i & 3u] = vec4(
            candidate(4u * i, number), candidate(4u * i + 1u, number),
            candidate(4u * i + 2u, number), candidate(4u * i + 3u, number),
        );
    }
    for (var i = lid; i < number; i += WG) {
        atomicStore(&taken[i], 0u);
    }
    workgroupBarrier();
    for (var i = lid; i < number; i += WG) {
        let key = candidate_keys[i];
        // The number of candidates with lower keys. It is the rank, if no other candidate has the same key.
        var below = 0u;
        for (var block = 0u; 16u * block < number; block++) {
            below += number_below(blocks[block][0], key) + number_below(blocks[block][1], key);
            below += number_below(blocks[block][2], key) + number_below(blocks[block][3], key);
        }
        sorted[below + atomicAdd(&taken[below], 1u)] = i;
    }
    workgroupBarrier();
}

fn candidate(i: u32, number: u32) -> Key {
    return select(highest(), candidate_keys[min(i, CAPACITY - 1u)], i < number);
}

fn number_below(keys: vec4<u32>, key: Key) -> u32 {
    let is_lower = select(vec4(0u), vec4(1u), keys < vec4(key));
    return (is_lower.x + is_lower.y) + (is_lower.z + is_lower.w);
}
