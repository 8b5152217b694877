// Tiles of the input, and the range of a slot of `offsets` in each of its three dispatches:
//
//   elements to results         a segment between two neighbouring offsets: segment `i` starts where `i - 1` ends
//   elements to partials        a tile whose start a long segment crosses: the segment's elements in the tile, and in the
//                               previous tile if it starts there
//   partials to results         a long segment, found at the first border that it crosses: the accumulators of all its tiles
//
// Offsets are clamped to the input, so that none leads outside it. The first dispatch covers a window of the input and the segments that start in it.
// The binding is one tile longer than the window, because the segments may end there.
#import shared/io

struct Own {
    // Elements of a tile, as a power of two.
    power: u32,
    // The most elements of a segment that its team reduces alone.
    short: u32,
    // The index of the dispatch's first segment or tile.
    base: u32,
    // Invocations of a team, as a power of two.
    team: u32,
    // The number of segments, and 1 if the dispatch covers the end of the input.
    segments: u32,
    is_last: u32,
}

// The range of a slot. Functions that return one have no other `return`: Microsoft's older compiler takes what they return for
// uninitialized, and refuses barriers that depend on it.
struct SlotRange {
    // True if this dispatch has work for the slot.
    here: bool,
    // True if the segment is long, and so is left to the next dispatches.
    is_long: bool,
    // Positions in the binding. Indices within the segment count from `origin`.
    begin: u32,
    end: u32,
    origin: u32,
    // The number of items to reduce.
    extent: u32,
    // The position of its result, and the number of elements that the result stands for.
    result: u32,
    count: u32,
    // The positions in the input between which it marks the borders of tiles.
    border_from: u32,
    border_to: u32,
    // The segment's own positions in the input.
    first: u32,
    stop: u32,
}

// The number of tiles that start before a position: the index of the first tile that does not.
fn tiles_before(position: u32) -> u32 {
    let power = params.own.power;
    return (position >> power) + select(0u, 1u, (position & ((1u << power) - 1u)) != 0u);
}

// True if the tile starts inside the segment that its mark names. If offsets do not ascend, there may be
// marks that no segment wrote, with arbitrary values. Only marks that pass this test are used.
fn is_crossed(mark: vec4<u32>, start: u32) -> bool { return mark.z != 0u && mark.x < start && start < mark.y && mark.y <= params.count; }

#ifdef reads_partials
@group(0) @binding(7) var<storage, read> marks: array<vec4<u32>>;

fn bounds(slot: u32) -> SlotRange {
    let start = slot << params.own.power;
    let mark = marks[slot];
    let result = mark.z - 1u - params.own.base;
    let is_first = start - mark.x <= (1u << params.own.power);
    var range = SlotRange();
    range.here = is_crossed(mark, start) && is_first && result < params.len;
    if range.here {
        range.begin = slot;
        range.end = tiles_before(mark.y);
        range.extent = range.end - range.begin;
        range.result = result;
        range.count = mark.y - mark.x;
    }
    return range;
}

// The marks are already complete.
fn mark_tiles(range: SlotRange, own: u32, grid: u32) {}
#else
#ifdef writes_partials
@group(0) @binding(7) var<storage, read> marks: array<vec4<u32>>;

fn bounds(slot: u32) -> SlotRange {
    let tile = 1u << params.own.power;
    let start = (params.own.base + slot) << params.own.power;
    let mark = marks[params.own.base + slot];
    // In each tile except the segment's first, the range starts at the border.
    let begin = select(start, mark.x, start - mark.x <= tile);
    let end = start + min(mark.y - start, tile);
    var range = SlotRange();
    range.here = is_crossed(mark, start);
    if range.here {
        range.begin = begin - params.index + params.first;
        range.end = end - params.index + params.first;
        range.origin = mark.x - params.index + params.first;
        range.extent = end - begin;
        range.result = slot;
        range.count = end - begin;
    }
    return range;
}

// The marks are already complete.
fn mark_tiles(range: SlotRange, own: u32, grid: u32) {}
#else
@group(0) @binding(7) var<storage, read> offsets: array<u32>;
// One mark per tile: begin, end, and index plus one of the long segment that crosses its start; otherwise zeros.
@group(0) @binding(8) var<storage, read_write> marks: array<vec4<u32>>;

fn bounds(slot: u32) -> SlotRange {
    let begin = min(offsets[slot], params.count);
    let end = clamp(offsets[slot + 1u], begin, params.count);
    let number = params.own.base + slot;
    // A segment that starts after the last element is empty, and belongs to the last window.
    let here = begin - params.index < params.len || (params.own.is_last == 1u && begin == params.count);

    // Elements before the first offset and after the last one belong to no segment, but their tiles need marks, too.
    var range = SlotRange();
    range.here = here;
    range.border_from = select(begin, 0u, number == 0u);
    range.border_to = select(end, params.count, number + 1u == params.own.segments);
    range.extent = range.border_to - range.border_from;
    range.first = begin;
    range.stop = end;
    range.begin = begin - params.index + params.first;
    range.end = end - params.index + params.first;
    range.origin = range.begin;
    range.result = slot;
    range.count = end - begin;
    range.is_long = range.count > (1u << params.own.power);
    return range;
}

// Marks the tiles that start in the range. `grid` invocations share them, and this one has index `own`.
fn mark_tiles(range: SlotRange, own: u32, grid: u32) {
    let power = params.own.power;
    let stop = tiles_before(range.border_to);
    for (var tile = tiles_before(range.border_from) + own; tile < stop; tile += grid) {
        let start = tile << power;
        var mark = vec4<u32>();
        if range.is_long && range.first < start && start < range.stop {
            mark = vec4<u32>(range.first, range.stop, params.own.base + range.result + 1u, 0u);
        }
        marks[tile] = mark;
    }
}
#endif
#endif
