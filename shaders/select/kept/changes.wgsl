// Elements that differ from the one before them: runs of equal neighbours begin there. The input has one window, so the one before is there too.
#import scan/shared/io
#import select/shared/elements
#import shared/run_keys/*

// True if all elements of a tile lie in the input, and each has one before it.
fn is_inside(item: u32) -> bool { return item > 0u && item + ITEMS_PER_LANE * WG <= params.len; }

// 1 if an element is kept. The first of all is.
fn kept(elem: Elem, i: u32, is_inside: bool) -> u32 {
    if !is_inside && i >= params.len {
        return 0u;
    }
    if !is_inside && i == 0u {
        return 1u;
    }
    let last = input[params.first + i - 1u];
    return changes(FourRunKeys(elem, elem, elem, elem), last) & 1u;
}
