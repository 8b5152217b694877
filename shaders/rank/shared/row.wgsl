// The order statistics of a row, found by one workgroup.
//
// A row of a thousand elements is read once. Each invocation keeps sixteen keys in registers, and all else happens there and in
// workgroup memory:
//
//   1. The lowest and the highest key of the row are found.
//   2. The range between them is cut into 256 bins of equal width, and every key is counted in its bin. Sums over the bins say which of
//      them holds the rank, and its rank inside that bin.
//   3. While that bin has too many keys, it is cut into 256 bins itself. Equal keys cannot be told apart so: for quantiles they need
//      not, and for winners with indices the indices are cut into bins.
//   4. The few candidates that are left go to workgroup memory, and each finds its rank by counting those with lower keys.
//
// A radix sort would take four passes over 32-bit keys. Here one is left, mostly, because bins lie where the keys are. Each pass over a
// row that is longer than the registers reads the rest again, which the cache has by then.
//
// Winners have a short cut, if they are few. Each invocation takes the best of its own keys. As many elements as there are winners are
// at least as good as the last winner among these, and hardly more: 43 for 32 winners among 1024 elements of 64 invocations. So step 2
// counts one key of sixteen.
//
// An element costs four integer instructions for its key, two for the ends, seven for its bin, and three to find that it is no
// candidate. There are two barriers for the ends, seventeen for each cut, and three for the candidates.
#import io
#import entry
#import keys
#import sum_before

@group(0) @binding(0) var<storage, read> words: array<u32>;

// The most candidates that are ranked at once, and a fourth of that.
override ROOM: u32 = 64u;
override BLOCKS: u32 = 16u;
// True: the first elements are wanted, and not only the one with a rank.
override WINNERS: bool = false;
// True: of each invocation only the best key is counted, at first.
override COUNTS_BEST: bool = false;
const BINS: u32 = 256u;
// Keys of an invocation in registers.
const HELD: u32 = 16u;

// Elements in order, from one to another, both included. Of equal keys the one with the lower index comes first.
struct Range {
    low: Key,
    first: u32,
    high: Key,
    last: u32,
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
var<workgroup> candidate_keys: array<array<Key, 4>, BLOCKS>;
var<workgroup> candidate_indices: array<u32, ROOM>;
// Candidates with each rank: those with equal keys have the same.
var<workgroup> taken: array<atomic<u32>, ROOM>;

var<private> held: array<vec4<u32>, 4>;
// The position of the row in the input, and its elements.
var<private> begin: u32;
var<private> len: u32;
// The lowest and the highest own key.
var<private> least: Key;
var<private> most: Key;
// The range that is cut or collected; true if it lacks some elements of its first or last key; true if its bins are of indices; and
// their width, as a power of two.
var<private> range: Range;
var<private> is_partial: bool;
var<private> is_by_index: bool;
var<private> shift: u32;

fn element(i: u32) -> Key {
    return key_of(words[begin + i]);
}

// Loads four elements that are a workgroup apart. Beyond the end of the row are the highest keys, which are in no range because of
// their indices.
fn load(i: u32, lid: u32) -> vec4<u32> {
    var keys = vec4(highest());
    if i - lid + 4u * WG <= len {
        keys = vec4(element(i), element(i + WG), element(i + 2u * WG), element(i + 3u * WG));
        most = max(most, max(max(keys.x, keys.y), max(keys.z, keys.w)));
    } else {
        for (var k = 0u; k < 4u; k++) {
            if i + k * WG < len {
                let key = element(i + k * WG);
                // FXC takes no vector that is written by a variable index.
                keys = select(keys, vec4(key), vec4(0u, 1u, 2u, 3u) == vec4(k));
                most = max(most, key);
            }
        }
    }
    least = min(least, min(min(keys.x, keys.y), min(keys.z, keys.w)));
    return keys;
}

// Loads a row, and makes it the range. Its ends are those of the keys that are counted.
fn load_row(row: u32, at: Place) {
    len = params.count;
    begin = params.first + row * len;
    least = highest();
    most = lowest();
    if at.lid == 0u {
        atomicStore(&lowest_of_row, highest());
        atomicStore(&highest_of_row, lowest());
    }
    clear(at.lid);
    workgroupBarrier();
    held[0] = load(at.lid, at.lid);
    if 4u * WG < len {
        held[1] = load(4u * WG + at.lid, at.lid);
    }
    if 8u * WG < len {
        held[2] = load(8u * WG + at.lid, at.lid);
    }
    if 12u * WG < len {
        held[3] = load(12u * WG + at.lid, at.lid);
    }
    for (var i = HELD * WG; i < len; i += 4u * WG) {
        load(i + at.lid, at.lid);
    }
    let high = select(most, select(lowest(), least, at.lid < len), COUNTS_BEST);
    atomicMin(&lowest_of_row, least);
    atomicMax(&highest_of_row, high);
    workgroupBarrier();
    range = Range(atomicLoad(&lowest_of_row), 0u, atomicLoad(&highest_of_row), len - 1u);
}

fn clear(lid: u32) {
    for (var bin = lid; bin < BINS; bin += WG) {
        atomicStore(&bins[bin], 0u);
    }
    if lid == 0u {
        atomicStore(&filled, 0u);
    }
}

// Looks at the range: as a rule it takes all elements of a key, and its bins are of keys.
fn aim() {
    let is_one_key = range.low == range.high;
    is_partial = (range.high == highest()) | is_one_key | (range.first != 0u) | (range.last != len - 1u);
    is_by_index = WINNERS & is_one_key;
    let width = select(range.high - range.low, range.last - range.first, is_by_index);
    let bits = 32u - countLeadingZeros(width);
    shift = bits - min(bits, 8u);
}

// Counts those of four elements that are in the range in their bins, or answers a bit for each of them.
fn visit(keys: vec4<u32>, i: u32, counts: bool) -> u32 {
    let indices = vec4(i, i + WG, i + 2u * WG, i + 3u * WG);
    var places = keys - vec4(range.low);
    var is_in = places <= vec4(range.high - range.low);
    if is_partial {
        is_in &= (keys > vec4(range.low)) | (indices >= vec4(range.first));
        is_in &= (keys < vec4(range.high)) | (indices <= vec4(range.last));
    }
    if !counts {
        let bits = select(vec4(0u), vec4(1u, 2u, 4u, 8u), is_in);
        return (bits.x | bits.y) | (bits.z | bits.w);
    }
    if is_by_index {
        places = indices - vec4(range.first);
    }
    if is_in.x {
        atomicAdd(&bins[places.x >> shift], 1u);
    }
    if is_in.y {
        atomicAdd(&bins[places.y >> shift], 1u);
    }
    if is_in.z {
        atomicAdd(&bins[places.z >> shift], 1u);
    }
    if is_in.w {
        atomicAdd(&bins[places.w >> shift], 1u);
    }
    return 0u;
}

// Counts all elements of the range in their bins, or collects them.
fn visit_all(counts: bool, lid: u32) {
    aim();
    var marked = visit(held[0], lid, counts);
    if 4u * WG < len {
        marked |= visit(held[1], 4u * WG + lid, counts) << 4u;
    }
    if 8u * WG < len {
        marked |= visit(held[2], 8u * WG + lid, counts) << 8u;
    }
    if 12u * WG < len {
        marked |= visit(held[3], 12u * WG + lid, counts) << 12u;
    }
    collect(marked, lid);
    for (var i = HELD * WG; i < len; i += 4u * WG) {
        collect(visit(load(i + lid, lid), i + lid, counts), i + lid);
    }
    workgroupBarrier();
}

// Collects the marked ones of elements that are a workgroup apart. They are few, and the cache has most of them.
fn collect(marked: u32, i: u32) {
    if marked != 0u {
        var at = atomicAdd(&filled, countOneBits(marked));
        for (var left = marked; left != 0u; left &= left - 1u) {
            let index = i + firstTrailingBit(left) * WG;
            if at < ROOM {
                candidate_keys[at >> 2u][at & 3u] = element(index);
                candidate_indices[at] = index;
            }
            at += 1u;
        }
    }
}

fn collect_all(lid: u32) {
    for (var i = lid; i < ROOM; i += WG) {
        candidate_keys[i >> 2u][i & 3u] = highest();
        atomicStore(&taken[i], 0u);
    }
    workgroupBarrier();
    visit_all(false, lid);
}

// The bins of two ranks in the range, all of which has been counted. After the next barrier, the bins are clear again.
fn choose(rank: u32, next: u32, at: Place) -> Bins {
    let each = max(BINS / WG, 1u);
    let own = at.lid * each;
    let stop = min(own + each, BINS);
    var sum = 0u;
    for (var bin = own; bin < stop; bin++) {
        sum += atomicLoad(&bins[bin]);
    }
    var before = sum_before(sum, at);
    for (var bin = own; bin < stop; bin++) {
        let through = before + atomicLoad(&bins[bin]);
        if (before <= rank) & (rank < through) {
            chosen.first = bin;
            chosen.before = before;
            chosen.is_single = select(0u, 1u, shift == 0u);
        }
        if (before <= next) & (next < through) {
            chosen.second = bin;
            chosen.through = through;
        }
        before = through;
    }
    let found = workgroupUniformLoad(&chosen);
    clear(at.lid);
    return found;
}

// Makes the elements of the bins from one to another the range.
fn cut(first: u32, second: u32) {
    let width = select(range.high - range.low, range.last - range.first, is_by_index);
    let skip = first << shift;
    let keep = min((second << shift) | ((1u << shift) - 1u), width);
    if is_by_index {
        range.last = range.first + keep;
        range.first += skip;
    } else {
        range.high = range.low + keep;
        range.low += skip;
        range.first = select(0u, range.first, skip == 0u);
        range.last = select(len - 1u, range.last, keep == width);
    }
}

// Cuts the range until it has two ranks and few elements, counted from its own start or, of winners, from the start before.
fn narrow(rank: u32, wanted: u32, at: Place) -> Ranks {
    var ranks = Ranks(0u, 0u, 0u);
    var next = wanted;
    loop {
        let before = ranks.start;
        visit_all(true, at.lid);
        let found = choose(rank - before, next - before, at);
        ranks = Ranks(before + found.before, before + found.through, 0u);
        let is_few = ranks.end - select(ranks.start, 0u, WINNERS) <= ROOM;
        let is_one = (found.first == found.second) & (found.is_single == 1u) & !is_few & !WINNERS;
        ranks.is_single = select(0u, 1u, is_one);
        // If two bins have too many elements, the first rank alone is looked for.
        cut(found.first, select(found.first, found.second, is_few));
        next = rank;
        workgroupBarrier();
        if is_few | is_one {
            break;
        }
    }
    return ranks;
}

// The number of candidates, of so many, with lower keys than this one. It is the rank, if no other candidate has the same key.
fn keys_below(key: Key, number: u32) -> u32 {
    var below = 0u;
    for (var block = 0u; 4u * block < number; block++) {
        below += select(0u, 1u, candidate_keys[block][0] < key) + select(0u, 1u, candidate_keys[block][1] < key);
        below += select(0u, 1u, candidate_keys[block][2] < key) + select(0u, 1u, candidate_keys[block][3] < key);
    }
    return below;
}

// Counts a candidate with this rank, and answers how many others with the same key were there before it.
fn take(rank: u32) -> u32 {
    return atomicAdd(&taken[rank], 1u);
}
