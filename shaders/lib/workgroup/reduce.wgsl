// One value per invocation becomes one value per workgroup. Only invocation 0 is guaranteed to get the total. Between two calls there must be a
// barrier.
//
// With subgroups, each subgroup reduces its own values in registers, its lane 0 stores the result to workgroup memory, and after one barrier
// every subgroup reduces those results: a browser may refuse a subgroup operation under `if subgroup == 0`, and the others would only wait.
// With narrow subgroups there are more results than lanes (256 invocations in subgroups of 4 leave 64), so each lane first combines several.
//
// Without subgroups it is a tree through workgroup memory only (tree.wgsl).
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
#import lib/workgroup/tree

fn workgroup_reduce(value: Acc, at: Place, wg: Workgroup) -> Acc { return tree_reduce(value, WG, at); }
#endif
