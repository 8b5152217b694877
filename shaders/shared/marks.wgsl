// Tiles of the input, and the range of one result.

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
    let power = params.segment;
    return (position >> power) + select(0u, 1u, (position & ((1u << power) - 1u)) != 0u);
}

// Whether the tile starts inside of the segment that its mark names. Marks that no segment wrote, because offsets did
// not ascend, can be anything: only what passes here is used.
fn is_crossed(mark: vec4<u32>, start: u32) -> bool {
    return mark.z != 0u && mark.x < start && start < mark.y && mark.y <= params.count;
}
