// The entry point of a kernel: it computes the indices of each invocation and calls `kernel`.
//
// Each built-in is a separate parameter: built-ins inside a struct lose their meaning on DX12. Values uniform across a workgroup have a struct
// of their own: a browser takes a struct as non-uniform if any of its members is, and rejects barriers that depend on it.
#import <io>
#import <kernel>

// Values that are uniform across a workgroup.
struct Workgroup {
    // The index of the workgroup in the whole grid.
    index: u32,
#ifdef subgroups
    // The width of a subgroup, and the number of subgroups.
    width: u32,
    subgroups: u32,
#endif
}

// The indices of an invocation.
struct Place {
    // Its index in the workgroup.
    lid: u32,
#ifdef subgroups
    // Its index in its subgroup, and the index of its subgroup in the workgroup.
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
