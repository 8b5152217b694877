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
}

@group(0) @binding(1) var<storage, read_write> output: array<Acc>;
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

fn store(group: u32, acc: Acc) {
    if group >= params.groups {
        return;
    }
    if params.last == 1u {
        output[params.store + group] = finish(acc, params.count);
    } else {
        output[params.store + group] = acc;
    }
}
