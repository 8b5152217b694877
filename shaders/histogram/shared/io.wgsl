// Counters, the numbers of one dispatch, and what every kernel of the histogram knows when it is compiled.

struct Params {
    // Where the keys of this dispatch start, counted in keys from the start of the binding.
    first: u32,
    // How many keys it covers.
    len: u32,
    // Workgroups that share them. A grid folded into rows may launch a few more.
    groups: u32,
    // Workgroups in one row of the grid.
    row: u32,
    // For ranges of floats: the smallest key that is counted, and how far the largest is above it, both in the
    // order of floats (histogram/ranges.wgsl).
    low: u32,
    span: u32,
    // For ranges: half of the low end, and bins per unit of a halved distance from it.
    half_low: f32,
    scale: f32,
}

@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;
// Bins of the histogram: 1 to 65 536.
override BINS: u32 = 256u;

// The bin of a key that is counted nowhere.
const NOWHERE: u32 = 0xffffffffu;

// A grid has at most 65 535 workgroups a dimension; a larger one is folded into rows.
fn group_index(id: vec3<u32>) -> u32 {
    return id.y * params.row + id.x;
}
