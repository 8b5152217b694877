// Entry point of a kernel that uses no subgroup operations.

// Where an invocation stands.
struct Place {
    // Its workgroup in the whole grid.
    group: u32,
    // Its index in the workgroup.
    lid: u32,
}

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    kernel(Place(group_index(workgroup), lid));
}
