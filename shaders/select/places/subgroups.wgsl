// Sums across a workgroup: in registers inside of a subgroup, then through workgroup memory.
#import io
#import entry

// The sum of each subgroup. The narrowest subgroup that exists has four lanes.
override SUBGROUPS: u32 = 64u;

var<workgroup> sums: array<u32, SUBGROUPS>;

// Returns the sum of all invocations before one, and the sum of all. Between two calls there must be a barrier.
fn sums_of(own: u32, at: Place, wg: Workgroup) -> vec2<u32> {
    var before = subgroupExclusiveAdd(own);
    let sum = subgroupAdd(own);
    if at.lane == 0u {
        sums[at.subgroup] = sum;
    }
    workgroupBarrier();
    var all = 0u;
    for (var k = 0u; k < wg.subgroups; k += 1u) {
        before += select(0u, sums[k], k < at.subgroup);
        all += sums[k];
    }
    return vec2<u32>(before, all);
}
