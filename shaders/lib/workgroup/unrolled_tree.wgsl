// The tree of the rung `sequential` without its loop: one value per invocation becomes one per workgroup. Only invocation 0 gets the total.
#import lib/grid/entry
#import lib/workgroup/unrolled_steps

var<workgroup> tile: array<Acc, WG>;

fn unrolled_tree(value: Acc, at: Place) -> Acc {
    tile[at.lid] = value;
    workgroupBarrier();
    unrolled_steps(at.lid);
    return tile[at.lid];
}
