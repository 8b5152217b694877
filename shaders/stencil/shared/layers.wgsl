// The layers of the tile of a sweep through the planes (plane_sweep.wgsl), and an invocation in them.

override UNROLL: u32 = 1u;

// The position of an invocation.
struct SweepCell {
    // Its cell in every plane.
    r: i32,
    c: i32,
    // The same cell in every layer of the tile.
    y: i32,
    x: i32,
    // Its index in the workgroup.
    lid: u32,
    // True if it computes.
    works: bool,
}

// The k-th layer of the ring that begins at `low`.
fn layer_at(low: u32, k: u32) -> u32 {
    let i = low + k;
    return select(i, i - (UNROLL + 2u), i >= UNROLL + 2u);
}
