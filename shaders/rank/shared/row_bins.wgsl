// Finds the order statistics of a row in one workgroup.
//
// A row of a thousand elements is read once. Each invocation keeps sixteen keys in registers:
//
//   1. Find the lowest and the highest key of the row.
//   2. Cut the range between them into 256 equal bins and count every key in its bin. Sums over the bins give the bin
//      of the rank, and the rank inside that bin.
//   3. While that bin has too many keys, cut it into 256 bins, unless it is as wide as one key.
//   4. Move the few remaining candidates to workgroup memory. Each finds its rank by counting lower keys (row_candidates.wgsl).
//
// With few winners, each invocation first contributes only its best key. The k-th of these bounds the winners, and few other elements are within
// the bound: 43 for 32 winners among 1024 elements of 64 invocations.
//
// Cost per key: four integer instructions to make it, two for the range, four for its bin, three to reject it as a candidate.
#import lib/grid/entry
#import rank/shared/four_keys
#import rank/shared/row
#import rank/shared/row_candidates
#import lib/workgroup/sum_before

// True if the first elements are the result, instead of one rank.
override WINNERS: bool = false;
const BINS: u32 = 256u;

// The bins of two ranks, the number of elements before the first of these bins, and the number through the second.
struct Bins {
    first: u32,
    before: u32,
    second: u32,
    through: u32,
    // 1 if a bin is as wide as one key.
    is_single: u32,
}

// The ranks in a range, from the first to one past the last. 1 if all elements have one key and are not few.
struct Ranks {
    start: u32,
    end: u32,
    is_single: u32,
}

var<workgroup> bins: array<atomic<u32>, BINS>;
var<workgroup> chosen: Bins;

fn clear_bins(lid: u32) {
    for (var bin = lid; bin < BINS; bin += WG) {
        atomicStore(&bins[bin], 0u);
    }
    if lid == 0u {
        atomicStore(&filled, 0u);
    }
}

// Returns log2 of the width of a range's bins.
fn bin_width(range: Range) -> u32 {
    let bits = 32u - countLeadingZeros(range.high - range.low);
    return bits - min(bits, 8u);
}

fn count(keys: FourKeys, row: RowSpan, i: u32, range: Range, width: u32) {
    count_four(keys.a, row, i, range, width);
    count_four(keys.b, row, i + 4u * WG, range, width);
    count_four(keys.c, row, i + 8u * WG, range, width);
    count_four(keys.d, row, i + 12u * WG, range, width);
}

fn count_four(keys: vec4<u32>, row: RowSpan, i: u32, range: Range, width: u32) {
    let is_in = in_range(keys, row, i, range);
    let places = (keys - vec4(range.low)) >> vec4(width);
    #for c in x y z w: if is_in.$c { atomicAdd(&bins[places.$c], 1u); }
}

fn count_all(held: FourKeys, row: RowSpan, range: Range, lid: u32) {
    clear_bins(lid);
    let width = bin_width(range);
    workgroupBarrier();
    count(held, row, 4u * lid, range, width);
    for (var i = HELD * WG + 4u * lid; i < row.len; i += HELD * WG) {
        count(load(row, i).keys, row, i, range, width);
    }
    workgroupBarrier();
}

// Finds the bins of two ranks after all elements of the range have been counted.
fn choose(rank: u32, next: u32, range: Range, at: Place) -> Bins {
    var own = vec4(0u);
    if at.lid < BINS / 4u {
        let bin = 4u * at.lid;
        own = vec4(
            atomicLoad(&bins[bin]),
            #for k in 1..4: atomicLoad(&bins[bin + $(k)u]),
        );
    }
    let sum = (own.x + own.y) + (own.z + own.w);
    let before = sum_before(sum, at.lid);
    // The number of elements through each of the four bins.
    let ends = vec4(before) + vec4(own.x, own.x + own.y, own.x + own.y + own.z, sum);
    if (before <= rank) & (rank < ends.w) {
        let bin = bins_before(ends, rank);
        chosen.first = 4u * at.lid + bin;
        chosen.before = before;
        chosen.before += select(0u, own.x, bin > 0u) + select(0u, own.y, bin > 1u) + select(0u, own.z, bin > 2u);
        chosen.is_single = select(0u, 1u, bin_width(range) == 0u);
    }
    if (before <= next) & (next < ends.w) {
        let bin = bins_before(ends, next);
        chosen.second = 4u * at.lid + bin;
        chosen.through = ends.w;
        chosen.through -= select(0u, own.w, bin < 3u) + select(0u, own.z, bin < 2u) + select(0u, own.y, bin < 1u);
    }
    return workgroupUniformLoad(&chosen);
}

// Returns the number of bins that end at or before a rank. The last of the four never does.
fn bins_before(ends: vec4<u32>, rank: u32) -> u32 {
    let is_before = select(vec4(0u), vec4(1u), ends <= vec4(rank));
    return is_before.x + is_before.y + is_before.z;
}

// Returns the part of a range that its bins `first` to `second` cover.
fn part_of(range: Range, first: u32, second: u32) -> Range {
    let width = bin_width(range);
    let last = (second << width) | ((1u << width) - 1u);
    return Range(range.low + (first << width), range.low + min(last, range.high - range.low));
}

// Cuts a range until it holds two ranks and few elements, counted from its own start, or for winners from the row's start. The ranks are uniform
// across the workgroup. Browsers cannot prove this of the range, so the range is not returned.
fn narrow(range: ptr<function, Range>, rank: u32, next_rank: u32, held: FourKeys, row: RowSpan, at: Place) -> Ranks {
    var ranks = Ranks(0u, 0u, 0u);
    var next = next_rank;
    loop {
        let before = ranks.start;
        count_all(held, row, *range, at.lid);
        let found = choose(rank - before, next - before, *range, at);
        ranks = Ranks(before + found.before, before + found.through, 0u);
        let is_few = ranks.end - select(ranks.start, 0u, WINNERS) <= CAPACITY;
        let is_one = (found.first == found.second) & (found.is_single == 1u) & !is_few;
        ranks.is_single = select(0u, 1u, is_one);
        // If two bins have too many elements, only the first rank is searched.
        *range = part_of(*range, found.first, select(found.first, found.second, is_few));
        next = rank;
        if is_few | is_one {
            break;
        }
    }
    return ranks;
}
