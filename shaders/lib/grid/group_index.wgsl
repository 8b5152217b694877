// The index of a workgroup. A grid has at most 65 535 workgroups per dimension; a larger grid is folded into rows.
fn group_index(id: vec3<u32>) -> u32 { return id.y * params.grid_row + id.x; }
