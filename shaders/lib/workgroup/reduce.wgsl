// One value per invocation becomes one value per workgroup. Only invocation 0 is guaranteed to get the total. Between two calls there must be a
// barrier.
//
// With subgroups, each subgroup reduces its own values in registers, its lane 0 stores the result to workgroup memory, and after one barrier
// every subgroup reduces those results: a browser may refuse a subgroup operation under `if subgroup == 0`, and the others would only wait.
// With narrow subgroups there are more results than lanes (256 invocations in subgroups of 4 leave 64), so each lane first combines several.
//
// Without subgroups it is the tree of the rung `sequential`, through workgroup memory only: the upper half is added onto the lower half until
// one value is left.
//
// The kernel chooses the `subgroup_reduce` by its own import.
#import <operator>
#import lib/grid/entry
#import <kernel>

#ifdef subgroups
// The narrowest subgroup that exists has four lanes.
var<workgroup> slots: array<Acc, (WG + 3u) / 4u>;

fn workgroup_reduce(value: Acc, at: Place, wg: Workgroup) -> Acc {
    let own = subgroup_reduce(value, at, wg);
    if at.lane == 0u {
        slots[at.subgroup] = own;
    }
    workgroupBarrier();
    var acc = identity();
    for (var i = at.lane; i < wg.subgroups; i += wg.width) {
        acc = combine(acc, slots[i]);
    }
    return subgroup_reduce(acc, at, wg);
}
#else
var<workgroup> tree: array<Acc, WG>;

fn workgroup_reduce(value: Acc, at: Place, wg: Workgroup) -> Acc {
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
#endif
