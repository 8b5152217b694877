// texels: writes what a map makes of each texel to a buffer, row by row.
//
// It reads the texels of a rectangle once, and writes four bytes for each, for operations that read their elements several times.
#import shared/texels

struct Params {
    // The number of texels.
    len: u32,
    // Workgroups in a row of the grid.
    grid_row: u32,
}

@group(0) @binding(1) var<storage, read_write> elements: array<Mapped>;
@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup.
override WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let at = (workgroup.y * params.grid_row + workgroup.x) * WG + lid;
    if at < params.len {
        elements[at] = element_at(at);
    }
}
