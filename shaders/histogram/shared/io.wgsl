// Counters, the parameters of one dispatch, and the overrides of every histogram kernel.

struct Params {
    // The position of this dispatch's first key in the binding.
    first: u32,
    // The number of keys that it covers.
    len: u32,
    // Workgroups that share them. A grid folded into rows may launch a few more.
    groups: u32,
    // Workgroups in one row of the grid.
    row: u32,
    // For ranges of floats: the smallest key that is counted, and the distance of the largest from it, both
    // as ordered integers (shared/ranges.wgsl).
    low: u32,
    span: u32,
    // For ranges: half of the low end, and bins per unit of half the distance from it.
    half_low: f32,
    scale: f32,
}

@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;
// Bins of the histogram: 1 to 65 536.
override BINS: u32 = 256u;

// The bin of a key that is not counted.
const NOWHERE: u32 = 0xffffffffu;

// A grid has at most 65 535 workgroups per dimension; a larger grid is folded into rows.
fn group_index(id: vec3<u32>) -> u32 {
    return id.y * params.row + id.x;
}
