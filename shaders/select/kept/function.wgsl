// Elements for which the application's function holds.
#import io
#import items
#import operator

// 1 if an element is kept.
fn kept(elem: Elem, i: u32) -> u32 {
    if i < params.len {
        return map(elem, params.index + i);
    }
    return 0u;
}

// Four bits: those of four elements that are kept.
fn marks_of(items: Items, i: u32) -> u32 {
    let low = kept(items.x, i) | (kept(items.y, i + 1u) << 1u);
    return low | (kept(items.z, i + 2u) << 2u) | (kept(items.w, i + 3u) << 3u);
}

// Nobody asks for the first kept element of a tile.
fn put_first(own: u32, sums: vec2<u32>, tile: u32, lid: u32) {
}
