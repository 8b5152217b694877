// The sum of all lanes' accumulators, whose numbers have four digits, by the built-in operations.
#ifdef subgroups
#import operator
#import exact/lane_digits

fn subgroup_reduce(value: Acc, at: Place, wg: Workgroup) -> Acc {
    let low = digits_of_lanes(value.low);
    let middle = digits_of_lanes(value.middle);
    let high = digits_of_lanes(value.high);
    let second = middle.x + low.y;
    let third = high.x + middle.y + (second >> DIGIT);
    let top = subgroupAdd(value.top) + high.y + (third >> DIGIT);
    return Acc(low.x, second & MASK, third & MASK, top, subgroupOr(value.tag));
}
#endif
