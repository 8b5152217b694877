// One value per invocation becomes one value per team, of which a workgroup has several. `team` is its size as a power of two, the
// same for all. Only a team's first invocation holds its total. Between two calls there must be a barrier.
//
// With subgroups it happens in registers as far as a subgroup reaches. A team that fits a subgroup needs a few shuffles. In a
// larger one each subgroup reduces its values, its lane 0 leaves the result in workgroup memory, and after one barrier every
// subgroup reduces those of its team.
//
// Without them it is the tree of the rung `sequential`, in every team of the workgroup at once.
#import operator

#ifdef subgroups
#import subgroup_reduce
#import shuffle

// The narrowest subgroup that exists has four lanes.
var<workgroup> slots: array<Acc, (WG + 3u) / 4u>;

// An invocation's place in the workgroup. How invocations are dealt out to subgroups is up to the driver, so teams go by
// subgroup and lane.
fn order_in_group(at: Place, wg: Workgroup) -> u32 {
    return at.subgroup * wg.width + at.lane;
}

fn team_reduce(value: Acc, team: u32, at: Place, wg: Workgroup) -> Acc {
    // Segments that an invocation has to itself need nobody; and their dispatches no barrier.
    if team == 0u {
        return value;
    }
    let size = 1u << team;
    let fits = size <= wg.width;
    var acc = value;
    if fits {
        // What a lane takes from another team is never used: after the last step only each first lane counts, and what it
        // was made of came from its own team.
        for (var d = size >> 1u; d > 0u; d >>= 1u) {
            acc = combine(acc, shuffle_down(acc, d));
        }
    } else {
        acc = subgroup_reduce(value, at, wg);
    }
    if at.lane == 0u {
        slots[at.subgroup] = acc;
    }
    // Nobody but large teams needs it. Yet all come here: whether a team fits a subgroup is the same for all invocations, but a
    // compiler that has to prove that every barrier is reached by all does not know it.
    workgroupBarrier();
    if fits {
        return acc;
    }
    let each = size / wg.width;
    let begin = at.subgroup / each * each;
    acc = identity();
    for (var i = at.lane; i < each; i += wg.width) {
        acc = combine(acc, slots[begin + i]);
    }
    return subgroup_reduce(acc, at, wg);
}
#else
var<workgroup> tree: array<Acc, WG>;

// An invocation's place in the workgroup: neighbours here share a team.
fn order_in_group(at: Place, wg: Workgroup) -> u32 {
    return at.lid;
}

fn team_reduce(value: Acc, team: u32, at: Place, wg: Workgroup) -> Acc {
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
#endif
