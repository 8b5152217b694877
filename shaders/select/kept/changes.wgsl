// Elements that differ from the one before them: runs of equal neighbours begin there. The input has one window, so the one before is there too.
#import io
#import items
#import firsts

// The bits of an element, such that equal elements have equal bits: of floats zeros are equal, and NaNs are.
fn bits_of(elem: Elem) -> Elem {
#ifdef float
    let size = elem & 0x7fffffffu;
    let number = select(elem, 0u, size == 0u);
    return select(number, 0x7fc00000u, size > 0x7f800000u);
#else
    return elem;
#endif
}

fn differs(own: Elem, before: Elem) -> u32 {
#ifdef bits_64
    return u32(any(own != before));
#else
    return u32(bits_of(own) != bits_of(before));
#endif
}

// Four bits: those of four elements that are kept. The first element of all is.
fn marks_of(items: Items, i: u32) -> u32 {
    let before = element_or_zero(max(i, 1u) - 1u);
    let low = differs(items.x, before) | u32(i == 0u) | (differs(items.y, items.x) << 1u);
    let all = low | (differs(items.z, items.y) << 2u) | (differs(items.w, items.z) << 3u);
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
