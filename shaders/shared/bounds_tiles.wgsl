// Tiles whose start a long segment crosses: its elements in the tile, and in the tile before if it starts there.

@group(0) @binding(7) var<storage, read> marks: array<vec4<u32>>;

fn bounds(slot: u32) -> Range {
    let tile = 1u << params.segment;
    let start = (params.base + slot) << params.segment;
    let mark = marks[params.base + slot];
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
fn announce(range: Range, own: u32, grid: u32) -> bool {
    return false;
}
