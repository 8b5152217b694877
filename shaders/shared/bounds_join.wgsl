// Long segments, found at the first border that each crosses: the accumulators of all its tiles.

@group(0) @binding(7) var<storage, read> marks: array<vec4<u32>>;

fn bounds(slot: u32) -> Range {
    let start = slot << params.segment;
    let mark = marks[slot];
    let result = mark.z - 1u - params.base;
    var range = Range();
    if !is_crossed(mark, start) || start - mark.x > (1u << params.segment) || result >= params.len {
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
fn announce(range: Range, own: u32, grid: u32) -> bool {
    return false;
}
