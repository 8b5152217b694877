// Segments between neighbours of a list of offsets: segment `i` starts where `i - 1` ended.
//
// What lies beyond the input is cut off, so that no offset leads outside of it. A dispatch covers a window of the
// input, and in it the segments that start there; the binding reaches one tile further, where they may end.

@group(0) @binding(7) var<storage, read> offsets: array<u32>;
// One for each tile: begin, end and number plus one of the long segment that crosses its start; else zeros.
@group(0) @binding(8) var<storage, read_write> marks: array<vec4<u32>>;

fn bounds(slot: u32) -> Range {
    let begin = min(offsets[slot], params.count);
    let end = clamp(offsets[slot + 1u], begin, params.count);
    let number = params.base + slot;
    // A segment that starts behind the last element is empty, and the last window's.
    let here = begin - params.index < params.len || (params.last == 1u && begin == params.count);

    // Elements in front of the first offset and behind the last one belong to no segment, but their tiles need marks, too.
    var range = Range();
    range.here = here;
    range.border_from = select(begin, 0u, number == 0u);
    range.border_to = select(end, params.count, number + 1u == params.chunks);
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
fn announce(range: Range, own: u32, grid: u32) -> bool {
    let power = params.segment;
    let is_long = range.count > (1u << power);
    let stop = tiles_before(range.border_to);
    for (var tile = tiles_before(range.border_from) + own; tile < stop; tile += grid) {
        let start = tile << power;
        var mark = vec4<u32>();
        if is_long && range.first < start && start < range.stop {
            mark = vec4<u32>(range.first, range.stop, params.base + range.result + 1u, 0u);
        }
        marks[tile] = mark;
    }
    return is_long;
}
