// One value per invocation becomes one value per team, in registers as far as a subgroup reaches.
//
// A team that fits a subgroup is done after a few shuffles. In a larger one each subgroup reduces its values, its
// lane 0 leaves the result in workgroup memory, and after one barrier every subgroup reduces those of its team.
// `team` is its size as a power of two, the same for all. Only a team's first invocation holds its total. Between two calls
// there must be a barrier.

// The narrowest subgroup that exists has four lanes.
var<workgroup> slots: array<Acc, (WG + 3u) / 4u>;

// An invocation's place in the workgroup. How invocations are dealt out to subgroups is up to the driver, so teams go by
// subgroup and lane.
fn order_in_group(at: Place) -> u32 {
    return at.subgroup * at.width + at.lane;
}

fn team_reduce(value: Acc, team: u32, at: Place) -> Acc {
    let size = 1u << team;
    var acc = value;
    if size <= at.width {
        // What a lane takes from another team is never used: after the last step only each first lane counts, and what it
        // was made of came from its own team.
        for (var d = size >> 1u; d > 0u; d >>= 1u) {
            acc = combine(acc, shuffle_down(acc, d));
        }
        return acc;
    }
    acc = subgroup_reduce(value, at);
    if at.lane == 0u {
        slots[at.subgroup] = acc;
    }
    workgroupBarrier();
    let each = size / at.width;
    let begin = at.subgroup / each * each;
    acc = identity();
    for (var i = at.lane; i < each; i += at.width) {
        acc = combine(acc, slots[begin + i]);
    }
    return subgroup_reduce(acc, at);
}
