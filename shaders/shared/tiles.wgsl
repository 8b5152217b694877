// Tiles of the input, and what a slot of `offsets` covers in each of its three dispatches:
//
//   elements to results         a segment between neighbours of a list of offsets: segment `i` starts where `i - 1` ended
//   elements to partials        a tile whose start a long segment crosses: its elements in the tile, and in the tile before if it
//                               starts there
//   partials to results         a long segment, found at the first border that it crosses: the accumulators of all its tiles
//
// What lies beyond the input is cut off, so that no offset leads outside of it. The first dispatch covers a window of the input,
// and in it the segments that start there; the binding reaches one tile further, where they may end.
#import io

// What a slot covers.
struct Range {
    // Whether there is anything to do for it in this dispatch.
    here: bool,
    // Positions in the binding. Indices within the segment count from `origin`.
    begin: u32,
    end: u32,
    origin: u32,
    // How many items have to be gone over.
    extent: u32,
    // Where its value goes, and the elements behind it.
    result: u32,
    count: u32,
    // Positions in the input whose tiles' borders it marks.
    border_from: u32,
    border_to: u32,
    // The segment's own positions in the input.
    first: u32,
    stop: u32,
}

// Tiles that start before a position: the number of the first one that does not.
fn tiles_before(position: u32) -> u32 {
    let power = params.own.power;
    return (position >> power) + select(0u, 1u, (position & ((1u << power) - 1u)) != 0u);
}

// Whether the tile starts inside of the segment that its mark names. Marks that no segment wrote, because offsets did
// not ascend, can be anything: only what passes here is used.
fn is_crossed(mark: vec4<u32>, start: u32) -> bool {
    return mark.z != 0u && mark.x < start && start < mark.y && mark.y <= params.count;
}

#ifdef reads_partials
@group(0) @binding(7) var<storage, read> marks: array<vec4<u32>>;

fn bounds(slot: u32) -> Range {
    let start = slot << params.own.power;
    let mark = marks[slot];
    let result = mark.z - 1u - params.own.base;
    var range = Range();
    if !is_crossed(mark, start) || start - mark.x > (1u << params.own.power) || result >= params.len {
        return range;
    }
    range.here = true;
    range.begin = slot;
    range.end = tiles_before(mark.y);
    range.extent = range.end - range.begin;
    range.result = result;
    range.count = mark.y - mark.x;
    return range;
}

// Marks are complete.
fn mark_tiles(range: Range, own: u32, grid: u32) -> bool {
    return false;
}
#else
#ifdef writes_partials
@group(0) @binding(7) var<storage, read> marks: array<vec4<u32>>;

fn bounds(slot: u32) -> Range {
    let tile = 1u << params.own.power;
    let start = (params.own.base + slot) << params.own.power;
    let mark = marks[params.own.base + slot];
    var range = Range();
    if !is_crossed(mark, start) {
        return range;
    }
    // Each tile but the segment's first one starts at its border.
    var begin = start;
    if start - mark.x <= tile {
        begin = mark.x;
    }
    let end = start + min(mark.y - start, tile);
    range.here = true;
    range.begin = begin - params.index + params.first;
    range.end = end - params.index + params.first;
    range.origin = mark.x - params.index + params.first;
    range.extent = end - begin;
    range.result = slot;
    range.count = end - begin;
    return range;
}

// Marks are complete.
fn mark_tiles(range: Range, own: u32, grid: u32) -> bool {
    return false;
}
#else
@group(0) @binding(7) var<storage, read> offsets: array<u32>;
// One for each tile: begin, end and number plus one of the long segment that crosses its start; else zeros.
@group(0) @binding(8) var<storage, read_write> marks: array<vec4<u32>>;

fn bounds(slot: u32) -> Range {
    let begin = min(offsets[slot], params.count);
    let end = clamp(offsets[slot + 1u], begin, params.count);
    let number = params.own.base + slot;
    // A segment that starts behind the last element is empty, and the last window's.
    let here = begin - params.index < params.len || (params.own.is_last == 1u && begin == params.count);

    // Elements in front of the first offset and behind the last one belong to no segment, but their tiles need marks, too.
    var range = Range();
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
    return range;
}

// Marks the tiles that start in the range, shared by `grid` invocations of which this is number `own`. Answers whether the
// segment is a long one, left to the dispatches that follow.
fn mark_tiles(range: Range, own: u32, grid: u32) -> bool {
    let power = params.own.power;
    let is_long = range.count > (1u << power);
    let stop = tiles_before(range.border_to);
    for (var tile = tiles_before(range.border_from) + own; tile < stop; tile += grid) {
        let start = tile << power;
        var mark = vec4<u32>();
        if is_long && range.first < start && start < range.stop {
            mark = vec4<u32>(range.first, range.stop, params.own.base + range.result + 1u, 0u);
        }
        marks[tile] = mark;
    }
    return is_long;
}
#endif
#endif
