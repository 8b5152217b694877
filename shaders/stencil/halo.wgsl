// halo: the halo exchange between the two ends of a ring that does not fit one binding.
//
// A grid larger than a binding is stepped in windows: slabs of layers (rows in 2D, planes in 3D) that overlap by two layers. If the grid is
// periodic in the direction of the cut, the last layer and the first are neighbours, but no window holds both. So they are stepped in a
// separate grid of four layers, in two buffers:
//
//     layers of the grid      n-2   n-1    0     1
//     layers of the halo grid  0     1     2     3          1 and 2 are computed, 0 and 3 only read
//
// `gather` copies the four layers to both buffers, because a step does not write the cells at fixed sides. Then the windows' kernel steps them
// as a grid with fixed sides, and `scatter` copies the two computed layers back: three small dispatches per step.
#import <element>

struct Params {
    // Cells of one layer. 0: the run has stopped, and nothing is copied.
    layer: u32,
    // Cells in `tail` before the second-to-last layer.
    skip: u32,
    // Workgroups in one row of the dispatched grid.
    grid_row: u32,
}

// The first two layers of the grid, and its last few.
@group(0) @binding(1) var<storage, read_write> head: array<Elem>;
@group(0) @binding(4) var<storage, read_write> tail: array<Elem>;
// The four layers before the step and after it.
@group(0) @binding(8) var<storage, read_write> before: array<Elem>;
@group(0) @binding(9) var<storage, read_write> after: array<Elem>;
@group(0) @binding(2) var<uniform> params: Params;

const WG: u32 = 256u;

fn cell_of(workgroup: vec3<u32>, lid: u32) -> u32 { return (workgroup.y * params.grid_row + workgroup.x) * WG + lid; }

@compute @workgroup_size(WG)
fn gather(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let i = cell_of(workgroup, lid);
    let half = 2u * params.layer;
    if i >= 2u * half {
        return;
    }
    var cell: Elem;
    if i < half {
        cell = tail[params.skip + i];
    } else {
        cell = head[i - half];
    }
    before[i] = cell;
    after[i] = cell;
}

@compute @workgroup_size(WG)
fn scatter(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let i = cell_of(workgroup, lid);
    if i < params.layer {
        tail[params.skip + params.layer + i] = after[params.layer + i];
        head[i] = after[2u * params.layer + i];
    }
}
