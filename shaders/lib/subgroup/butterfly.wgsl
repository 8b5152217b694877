// A butterfly inside the subgroup: lane `i` exchanges values with lane `i xor d`, d = 1 … width / 2.
//
// Every lane ends with the subgroup's result, at the cost of the shuffle-down tree: lanes that would have been idle work, too.
#ifdef subgroups
#import <operator>
#import lib/grid/entry
#import lib/subgroup/shuffle/*

fn subgroup_reduce(value: Acc, at: Place, wg: Workgroup) -> Acc {
    let lanes = min(wg.width, WG);
    var acc = value;
    for (var d = 1u; d < lanes; d <<= 1u) {
        acc = combine(acc, shuffle_xor(acc, d));
    }
    return acc;
}
#endif
