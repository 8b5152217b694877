// The number of an invocation in its workgroup, in the order in which subgroup operations take invocations: the driver assigns them to subgroups and lanes.
#import entry

fn order_in_group(at: Place, wg: Workgroup) -> u32 {
#ifdef subgroups
    return at.subgroup * wg.width + at.lane;
#else
    return at.lid;
#endif
}
