// Keeps elements for which the application's function returns true.
#import scan/shared/io
#import select/shared/elements
#import <operator>

// Returns true if all elements of a tile lie in the input.
fn is_inside(item: u32) -> bool { return item + ITEMS_PER_LANE * WG <= params.len; }

// Returns 1 if an element is kept, else 0.
fn kept(elem: Elem, i: u32, is_inside: bool) -> u32 {
    if is_inside || i < params.len {
        return map(elem, params.index + i);
    }
    return 0u;
}
