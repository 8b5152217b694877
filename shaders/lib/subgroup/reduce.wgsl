// A tree inside the subgroup: lane `i` takes lane `i + d`'s value, d = width / 2 … 1. Lane 0 ends with the subgroup's result.
//
// Lanes whose partner is past the end keep their value: reading an inactive lane is undefined, and a workgroup may be smaller than a subgroup.
#ifdef subgroups
#import <operator>
#import lib/grid/entry
#import lib/subgroup/shuffle/*

fn subgroup_reduce(value: Acc, at: Place, wg: Workgroup) -> Acc {
    let lanes = min(wg.width, WG);
    var acc = value;
    for (var d = lanes >> 1u; d > 0u; d >>= 1u) {
        let other = shuffle_down(acc, d);
        if at.lane + d < lanes {
            acc = combine(acc, other);
        }
    }
    return acc;
}
#endif
