// The sum of the values of all invocations before one, in the order of `order_in_group`.
#import io
#import entry

var<workgroup> sums: array<u32, WG>;

#ifdef subgroups
// The driver assigns invocations to subgroups, so the order is theirs.
fn order_in_group(at: Place, wg: Workgroup) -> u32 {
    return at.subgroup * wg.width + at.lane;
}

fn sum_before(value: u32, at: Place, wg: Workgroup) -> u32 {
    let before = subgroupExclusiveAdd(value);
    if at.lane == min(wg.width, WG) - 1u {
        sums[at.subgroup] = before + value;
    }
    workgroupBarrier();
    var earlier = 0u;
    for (var i = at.lane; i < at.subgroup; i += wg.width) {
        earlier += sums[i];
    }
    return subgroupAdd(earlier) + before;
}
#else
fn order_in_group(at: Place, wg: Workgroup) -> u32 {
    return at.lid;
}

fn sum_before(value: u32, at: Place, wg: Workgroup) -> u32 {
    var sum = value;
    for (var d = 1u; d < WG; d <<= 1u) {
        sums[at.lid] = sum;
        workgroupBarrier();
        if at.lid >= d {
            sum += sums[at.lid - d];
        }
        workgroupBarrier();
    }
    return sum - value;
}
#endif
