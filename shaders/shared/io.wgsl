// Input, output and the numbers of one dispatch: what every rung shares.
//
// The host decides how much of the input a dispatch covers and writes it into `params`. How items are read is said in load.wgsl.
#import operator

struct Params {
    // Where this dispatch starts, counted in items from the start of the binding.
    first: u32,
    // How many items it covers.
    len: u32,
    // Position of the first item in the whole input.
    index: u32,
    // Length of the whole input: what `finish` is given.
    count: u32,
    // How many workgroups have work. A grid folded into two dimensions may launch a few more.
    groups: u32,
    // Workgroups in one row of the grid.
    row: u32,
    // Where in `output` the first result goes.
    store: u32,
#ifdef adjoining
    // Items that the first of the two bindings holds.
    held: u32,
#else
    // What to add to a position to get the second input's; of one input 0.
    second: u32,
#endif
#ifdef own
    // What only this kernel is given: it declares the struct.
    own: Own,
#endif
}

@group(0) @binding(1) var<storage, read_write> output: array<Stored>;
@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;

// A grid has at most 65 535 workgroups a dimension; a larger one is folded into rows.
fn group_index(id: vec3<u32>) -> u32 {
    return id.y * params.row + id.x;
}
