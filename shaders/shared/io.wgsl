// Input, output and the parameters of one dispatch, which every rung shares.
//
// The host decides how much of the input a dispatch covers, and writes it to `params`. load.wgsl reads the items.
#import <operator>
#import <kernel>
#import lib/grid/group_index

struct Params {
    // The position of this dispatch's first item in the binding.
    first: u32,
    // The number of items that it covers.
    len: u32,
    // Position of the first item in the whole input.
    index: u32,
    // Length of the whole input, which `finish` receives.
    count: u32,
    // The number of workgroups that have work. A grid folded into two dimensions may dispatch a few more.
    groups: u32,
    // Workgroups in one row of the grid.
    grid_row: u32,
    // The position of the first result in `output`.
    store: u32,
#ifdef adjoining
    // Items that the first of the two bindings holds.
    held: u32,
#else
    // The distance from a position in the first input to that of its partner in the second; 0 if there is one input.
    second: u32,
#endif
#ifdef own
    // The parameters that only this kernel has. The kernel declares the struct.
    own: Own,
#endif
}

@group(0) @binding(1) var<storage, read_write> output: array<Stored>;
@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;
