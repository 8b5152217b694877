// The last six steps of a tree, done by subgroups: in registers, with a single barrier.
//
// The first 64 invocations bring a value each (all of them, where the workgroup is smaller), and what the
// others bring counts as the identity. Each subgroup reduces its values, its lane 0 leaves the result in
// workgroup memory, and after the barrier every subgroup reduces those results. Only invocation 0 is promised
// the total.
//
// No width is assumed, nor which invocations share a subgroup: usually the first 64 fill the first subgroups,
// but WGSL does not say so. Hence all subgroups take part, with identities or not. They would wait anyway.

// The narrowest subgroup that exists has four lanes.
var<workgroup> last_slots: array<Acc, (WG + 3u) / 4u>;

fn last_steps(value: Acc, at: Place) -> Acc {
    var acc = identity();
    if at.lid < 64u {
        acc = value;
    }
    let own = subgroup_reduce(acc, at);
    if at.lane == 0u {
        last_slots[at.subgroup] = own;
    }
    workgroupBarrier();
    var sum = identity();
    for (var i = at.lane; i < at.subgroups; i += at.width) {
        sum = combine(sum, last_slots[i]);
    }
    return subgroup_reduce(sum, at);
}
