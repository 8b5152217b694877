// The entry point of a kernel: it says where each invocation stands and calls `kernel`.
//
// Each built-in is a parameter of its own: inside a struct of inputs they lose their meaning on DX12. And what is the same for
// all invocations of a workgroup stands apart from what is an invocation's own: a browser has to prove that all take the same
// way to a barrier, and takes a struct for as varying as the most varying of its members.
#import io

// The same for all invocations of a workgroup.
struct Workgroup {
    // Its number in the whole grid.
    index: u32,
#ifdef subgroups
    // The width of a subgroup, and how many there are.
    width: u32,
    subgroups: u32,
#endif
}

// Where an invocation stands.
struct Place {
    // Its index in the workgroup.
    lid: u32,
#ifdef subgroups
    // Its index in its subgroup, and its subgroup's in the workgroup.
    lane: u32,
    subgroup: u32,
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
    kernel(Place(lid, lane, subgroup), Workgroup(group_index(workgroup), width, subgroups));
#else
    kernel(Place(lid), Workgroup(group_index(workgroup)));
#endif
}
