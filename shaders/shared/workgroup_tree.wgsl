// One value per invocation becomes one value per workgroup, through workgroup memory alone.
//
// The tree of the rung `sequential`: the upper half is added onto the lower half until one is left.
// Only invocation 0 holds the total.

var<workgroup> tree: array<Acc, WG>;

fn workgroup_reduce(value: Acc, at: Place) -> Acc {
    tree[at.lid] = value;
    workgroupBarrier();
    for (var s = WG >> 1u; s > 0u; s >>= 1u) {
        if at.lid < s {
            tree[at.lid] = combine(tree[at.lid], tree[at.lid + s]);
        }
        workgroupBarrier();
    }
    return tree[at.lid];
}
