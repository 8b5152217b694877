// Input, output and the numbers of one dispatch: what every rung shares.
//
// The host decides how much of the input a dispatch covers and writes it into `params`. `load` comes
// from a second piece: `elements.wgsl` when the dispatch reads the caller's data, `partials.wgsl`
// when it reads the results of an earlier dispatch. So a kernel reads the same in both places.

struct Params {
    // Where this dispatch starts, counted in items from the start of the binding.
    first: u32,
    // How many items it covers.
    len: u32,
    // How many workgroups have work. A grid folded into two dimensions may launch a few more.
    groups: u32,
    // Workgroups in one row of the grid.
    row: u32,
    // Where in `output` the first workgroup's result goes.
    store: u32,
    // Position of the first item in the whole input.
    index: u32,
    // Length of the whole input: what `finish` is given.
    count: u32,
    // Workgroups of all dispatches that share one ticket counter.
    tickets: u32,
    // 1 if this dispatch delivers final results, 0 if partial ones.
    last: u32,
    // Always zero, which no compiler knows: it makes a dependency that cannot be folded away.
    zero: u32,
    // For results that are many: the items of one, cut into `chunks` of at most `chunk` items each.
    segment: u32,
    chunk: u32,
    chunks: u32,
    // Number of the first chunk of this dispatch.
    base: u32,
    // Invocations that share one chunk, as a power of two.
    team: u32,
    // What to add to a position to get the second input's; or the distance of two items that belong together; or where the first
    // of two adjoining bindings ends.
    other: u32,
    // Distance of two items that follow one another in the same result: a matrix's columns, a stride.
    inner: u32,
    // Columns that a team takes side by side.
    width: u32,
    // 1 if accumulators are added to those that a dispatch before has left at the same places.
    onto: u32,
}

@group(0) @binding(1) var<storage, read_write> output: array<Stored>;
@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;

// A grid has at most 65 535 workgroups a dimension; a larger one is folded into rows.
fn group_index(id: vec3<u32>) -> u32 {
    return id.y * params.row + id.x;
}

fn load_or_identity(i: u32) -> Acc {
    if i < params.len {
        return load(i);
    }
    return identity();
}
