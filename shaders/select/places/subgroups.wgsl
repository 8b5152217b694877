// Sums over the invocations before each, and over all: in registers inside of a subgroup, then through workgroup memory.
//
// The driver assigns invocations to subgroups, so their order is that of subgroups and lanes.
#import io
#import entry
#import places_struct

// The sum of each subgroup. The narrowest subgroup that exists has four lanes.
override SUBGROUPS: u32 = 64u;

var<workgroup> sums: array<vec4<u32>, SUBGROUPS>;

fn order_in_group(at: Place, wg: Workgroup) -> u32 {
    return at.subgroup * wg.width + at.lane;
}

fn places_of(own: vec4<u32>, at: Place, wg: Workgroup) -> Places {
    var before = subgroupExclusiveAdd(own);
    let sum = subgroupAdd(own);
    if at.lane == 0u {
        sums[at.subgroup] = sum;
    }
    workgroupBarrier();
    var all = vec4<u32>();
    for (var k = 0u; k < wg.subgroups; k += 1u) {
        before += select(vec4<u32>(), sums[k], k < at.subgroup);
        all += sums[k];
    }
    return Places(before, all);
}
