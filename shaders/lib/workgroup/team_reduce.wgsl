// One value per invocation becomes one value per team; a workgroup has several teams. `team` is the base-2 logarithm of the size of all teams.
// Only a team's first invocation gets its total. Between two calls there must be a barrier.
//
// With subgroups, a team that fits a subgroup needs a few shuffles. In a larger team each subgroup reduces its values, its lane 0 stores the
// result to workgroup memory, and after one barrier every subgroup reduces the results of its team.
//
// Without subgroups it is a tree (tree.wgsl).
#import <operator>
#import lib/grid/entry

#ifdef subgroups
#import <hardware>
#import lib/subgroup/shuffle/*

// The narrowest subgroup that exists has four lanes.
var<workgroup> slots: array<Acc, (WG + 3u) / 4u>;

fn team_reduce(value: Acc, team: u32, at: Place, wg: Workgroup) -> Acc {
    // A team of one invocation needs no reduction, and its dispatch no barrier.
    if team == 0u {
        return value;
    }
    let size = 1u << team;
    let fits = size <= wg.width;
    var acc = value;
    if fits {
        // A lane may read a value of another team, but that value is never used: after the last step only the
        // first lane of each team counts, and its value came from its own team.
        for (var d = size >> 1u; d > 0u; d >>= 1u) {
            acc = combine(acc, shuffle_down(acc, d));
        }
    } else {
        acc = subgroup_reduce(value, at, wg);
    }
    if at.lane == 0u {
        slots[at.subgroup] = acc;
    }
    // Only large teams need this barrier, but all invocations pass it. Whether a team fits a subgroup is
    // uniform, but a compiler that must prove uniform control flow around barriers does not know that.
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
#import lib/workgroup/tree

fn team_reduce(value: Acc, team: u32, at: Place, wg: Workgroup) -> Acc { return tree_reduce(value, 1u << team, at); }
#endif
