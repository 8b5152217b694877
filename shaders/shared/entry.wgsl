// The entry point of a kernel: it says where each invocation stands and calls `kernel`.
//
// Each built-in is a parameter of its own: inside a struct of inputs they lose their meaning on DX12.
#import io

// Where an invocation stands.
struct Place {
    // Its workgroup in the whole grid.
    group: u32,
    // Its index in the workgroup.
    lid: u32,
#ifdef subgroups
    // Its index in its subgroup, and the subgroup's width.
    lane: u32,
    width: u32,
    // Its subgroup in the workgroup, and how many there are.
    subgroup: u32,
    subgroups: u32,
#endif
}

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
#ifdef subgroups
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(num_subgroups) subgroups: u32,
#endif
) {
#ifdef subgroups
    kernel(Place(group_index(workgroup), lid, lane, width, subgroup, subgroups));
#else
    kernel(Place(group_index(workgroup), lid));
#endif
}
