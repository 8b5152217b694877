// The rank of an invocation in its workgroup: by subgroup and lane where there are subgroups, to which the driver assigns invocations.
#import lib/grid/entry

fn order_in_group(at: Place, wg: Workgroup) -> u32 {
#ifdef subgroups
    return at.subgroup * wg.width + at.lane;
#else
    return at.lid;
#endif
}
