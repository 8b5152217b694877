// One value per invocation becomes one value per workgroup, subgroup by subgroup.
//
// Each subgroup reduces its own values in registers, its lane 0 leaves the result in workgroup memory, and
// after one barrier every subgroup reduces those results again. All of them do so, although one would be
// enough: a subgroup operation under `if subgroup == 0` is one a browser may refuse, and the others would
// only wait. No width is assumed. With narrow subgroups there are more results than lanes (256 invocations
// in subgroups of 4 leave 64), so the lanes first walk over them.
//
// Only invocation 0 is promised the total. Between two calls there must be a barrier.

// The narrowest subgroup that exists has four lanes.
var<workgroup> slots: array<Acc, (WG + 3u) / 4u>;

fn workgroup_reduce(value: Acc, at: Place) -> Acc {
    let own = subgroup_reduce(value, at);
    if at.lane == 0u {
        slots[at.subgroup] = own;
    }
    workgroupBarrier();
    var acc = identity();
    for (var i = at.lane; i < at.subgroups; i += at.width) {
        acc = combine(acc, slots[i]);
    }
    return subgroup_reduce(acc, at);
}
