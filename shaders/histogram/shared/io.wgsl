// Counters, the parameters of one dispatch, and the overrides of every histogram kernel.
#import lib/grid/group_index

struct Params {
    // The position of this dispatch's first element in the binding.
    first: u32,
    // The number of elements that it counts.
    len: u32,
    // Workgroups that share them. A grid folded into rows may dispatch a few more.
    groups: u32,
    // Workgroups in one row of the grid.
    grid_row: u32,
    // For ranges and levels: the smallest key that is counted, and the distance of the largest from it, both as ordered integers (bins/ranges.wgsl).
    low: u32,
    span: u32,
    // For ranges: the float of the place of 0, and places per unit; the bits of a place below the bin; the last place of a number that may be
    // in the range; the places next to a border.
    origin: f32,
    scale: f32,
    fraction: u32,
    places: u32,
    unsure: u32,
#ifdef strided
    // The number of the first element in the input, and the distance from an element to the next one.
    index: u32,
    stride: u32,
#endif
}

@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;
// Bins of all channels: 1 to 65 536.
override COUNTERS: u32 = 256u;
// Bins of a channel.
override BINS: u32 = 256u;

// The bin of a key that is not counted, and a guess that is not sure.
const NOWHERE: u32 = 0xffffffffu;
const UNSURE: u32 = 0xfffffffeu;
