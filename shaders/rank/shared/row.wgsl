// A row that a workgroup loads: sixteen keys of each invocation stay in registers, and those of a longer row are loaded again.
#import rank/shared/io
#import rank/shared/input_words
#import lib/grid/entry
#import rank/shared/four_keys
#import rank/keys/*
#import rank/shared/list

// True: of each invocation only the best of the keys in registers is counted, at first.
override COUNTS_BEST: bool = false;
// True: rows are segments, of any lengths.
override SEGMENTS: bool = false;
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

// Keys of an invocation, and the lowest and the highest of them.
struct Held {
    keys: FourKeys,
    extremes: Range,
}

var<workgroup> lowest_of_row: atomic<u32>;
var<workgroup> highest_of_row: atomic<u32>;

fn extremes_of(low: vec4<u32>, high: vec4<u32>) -> Range {
    return Range(min(min(low.x, low.y), min(low.z, low.w)), max(max(high.x, high.y), max(high.z, high.w)));
}

fn joined(a: Range, b: Range) -> Range { return Range(min(a.low, b.low), max(a.high, b.high)); }

// True if elements of the row are in whole vectors.
fn is_aligned(row: RowSpan) -> bool { return ((row.begin | row.len) & 3u) == 0u; }

// Loads four vectors that are four workgroups apart. Beyond the end of the row are the highest keys.
fn load(row: RowSpan, i: u32) -> Held {
    if (i + 12u * WG + 4u <= row.len) & is_aligned(row) {
        let at = (row.begin + i) >> 2u;
        #for k in 0..4: let v$k = keys_of_four(vector(at + $(k)u * WG));
        return Held(FourKeys(v0, v1, v2, v3), extremes_of(min(min(v0, v1), min(v2, v3)), max(max(v0, v1), max(v2, v3))));
    }
    #for k in 0..4: let v$k = load_vector(row, i + $(4 * k)u * WG);
    let extremes = joined(joined(v0.extremes, v1.extremes), joined(v2.extremes, v3.extremes));
    return Held(FourKeys(v0.keys, v1.keys, v2.keys, v3.keys), extremes);
}

// Four keys, and the lowest and the highest of them.
struct HeldVector {
    keys: vec4<u32>,
    extremes: Range,
}

fn load_vector(row: RowSpan, i: u32) -> HeldVector {
    if i >= row.len {
        return HeldVector(vec4(highest()), Range(highest(), lowest()));
    }
    var keys: vec4<u32>;
    if is_aligned(row) {
        keys = keys_of_four(vector((row.begin + i) >> 2u));
    } else {
        // Past the end, the last element comes again.
        let last = row.begin + row.len - 1u;
        let at = min(vec4(row.begin + i) + vec4(0u, 1u, 2u, 3u), vec4(last));
        keys = vec4(element(at.x), element(at.y), element(at.z), element(at.w));
    }
    let is_there = vec4(i, i + 1u, i + 2u, i + 3u) < vec4(row.len);
    return HeldVector(select(vec4(highest()), keys, is_there), extremes_of(keys, keys));
}

// The place in the list of the first entry of a row: each segment has some.
fn first_entry(row: u32, entries: u32) -> u32 { return params.list + select(0u, row * entries, SEGMENTS); }

// A row by its number or, if it is a segment, by its entry: two words about its ranks or its winners, its place in the buffer, its length.
fn row_span(row: u32, entry: vec4<u32>) -> RowSpan {
    if SEGMENTS {
        return RowSpan(entry.z - params.index, entry.w, entry.x, entry.y);
    }
    return RowSpan(params.first + row * params.count, params.count, params.samples, params.k);
}

// Loads a row, or a sample of it, and keeps as much as there are registers for.
fn load_row(row: RowSpan, at: Place) -> Held {
    if at.lid == 0u {
        atomicStore(&lowest_of_row, highest());
        atomicStore(&highest_of_row, lowest());
    }
    var held = load(row, 4u * at.lid);
    held.extremes = joined(held.extremes, extremes_beyond(row, select(row.len, row.samples, COUNTS_BEST), at.lid));
    workgroupBarrier();
    return held;
}

// The lowest and the highest key of an invocation's elements that are not in registers, up to one.
fn extremes_beyond(row: RowSpan, stop: u32, lid: u32) -> Range {
    var extremes = Range(highest(), lowest());
    for (var i = HELD * WG; i < stop; i += HELD * WG) {
        extremes = joined(extremes, load(row, i + 4u * lid).extremes);
    }
    return extremes;
}

// The range from the lowest key of all invocations to the highest one.
fn range_of_all(own: Range) -> Range {
    atomicMin(&lowest_of_row, own.low);
    atomicMax(&highest_of_row, own.high);
    workgroupBarrier();
    return Range(atomicLoad(&lowest_of_row), atomicLoad(&highest_of_row));
}
