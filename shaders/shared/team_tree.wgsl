// One value per invocation becomes one value per team, through workgroup memory alone.
//
// The tree of the rung `sequential`, in every team of the workgroup at once. `team` is a team's size as a power of two, the
// same for all. Only a team's first invocation holds its total.

var<workgroup> tree: array<Acc, WG>;

// An invocation's place in the workgroup: neighbours here share a team.
fn order_in_group(at: Place) -> u32 {
    return at.lid;
}

fn team_reduce(value: Acc, team: u32, at: Place) -> Acc {
    let size = 1u << team;
    if size == 1u {
        return value;
    }
    let lane = at.lid & (size - 1u);
    tree[at.lid] = value;
    workgroupBarrier();
    for (var s = size >> 1u; s > 0u; s >>= 1u) {
        if lane < s {
            tree[at.lid] = combine(tree[at.lid], tree[at.lid + s]);
        }
        workgroupBarrier();
    }
    return tree[at.lid];
}
