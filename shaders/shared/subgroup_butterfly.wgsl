// A butterfly inside the subgroup: lane `i` exchanges values with lane `i xor d`, d = 1 … width / 2.
//
// It costs as much as the shuffle-down tree: lanes that would have been idle work, too. Every lane ends with
// the subgroup's result: an all-reduce.
#ifdef subgroups
#import operator
#import entry
#import shuffle

fn subgroup_reduce(value: Acc, at: Place, wg: Workgroup) -> Acc {
    let lanes = min(wg.width, WG);
    var acc = value;
    for (var d = 1u; d < lanes; d <<= 1u) {
        acc = combine(acc, shuffle_xor(acc, d));
    }
    return acc;
}
#endif
