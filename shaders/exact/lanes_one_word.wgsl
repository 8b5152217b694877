// The sum of all lanes' accumulators, whose numbers have three digits, by the built-in operations.
#ifdef subgroups
#import operator
#import exact/lane_digits

fn subgroup_reduce(value: Acc, at: Place, wg: Workgroup) -> Acc {
    let low = digits_of_lanes(value.low);
    let middle = digits_of_lanes(value.middle);
    let second = middle.x + low.y;
    let high = subgroupAdd(value.high) + middle.y + (second >> DIGIT);
    return Acc(low.x, second & MASK, high, subgroupOr(value.tag));
}
#endif
