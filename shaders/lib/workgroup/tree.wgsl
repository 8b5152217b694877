// The tree of the rung `sequential`, in all teams of `size` invocations at once: the upper half is added onto the lower half until one value is
// left, which the first invocation of a team gets. Between two calls there must be a barrier.
#import <operator>
#import lib/grid/entry

var<workgroup> tree: array<Acc, WG>;

fn tree_reduce(value: Acc, size: u32, at: Place) -> Acc {
    if size == 1u {
        return value;
    }
    tree[at.lid] = value;
    workgroupBarrier();
    for (var s = size >> 1u; s > 0u; s >>= 1u) {
        if (at.lid & (size - 1u)) < s {
            tree[at.lid] = combine(tree[at.lid], tree[at.lid + s]);
        }
        workgroupBarrier();
    }
    return tree[at.lid];
}
