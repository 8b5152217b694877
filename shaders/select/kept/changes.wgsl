// Elements that differ from the one before them: runs of equal neighbours begin there. The input has one window, so the one before is there too.
#import io
#import items
#import run_keys

// Four bits: those of four elements that are kept. The first element of all is.
fn marks_of(items: Items, i: u32) -> u32 {
    let before = element_or_zero(max(i, 1u) - 1u);
    let all = changes(FourRunKeys(items.x, items.y, items.z, items.w), before) | u32(i == 0u);
    return all & ((1u << min(max(params.len, i) - i, 4u)) - 1u);
}

// The invocation that has it stores the first kept element of a tile.
fn put_first(own: u32, sums: vec2<u32>, tile: u32, lid: u32) {
    if own != 0u && sums.x == 0u {
        counts[params.firsts + tile] = OWN * (tile * WG + lid) + firstTrailingBit(own);
    } else if lid == 0u && sums.y == 0u {
        counts[params.firsts + tile] = NO_FIRST;
    }
}
