// One accumulator per invocation becomes one per workgroup, which invocation 0 holds: as workgroup_reduce.wgsl does it, and without
// subgroups in half of its workgroup memory. The upper half of the invocations stores, the lower half adds.
#import operator
#ifdef subgroups
#import workgroup_reduce
#import exact/lane_sums

fn reduce_all(value: Acc, at: Place, wg: Workgroup) -> Acc {
    return workgroup_reduce(value, at, wg);
}
#else
// The length is an expression: naga 30 does not resolve `WG` alone in some of the modules that have this array.
var<workgroup> halves: array<Acc, (WG + 1u) / 2u>;

fn reduce_all(value: Acc, at: Place, wg: Workgroup) -> Acc {
    var acc = value;
    for (var s = WG >> 1u; s > 0u; s >>= 1u) {
        if at.lid >= s && at.lid < 2u * s {
            halves[at.lid - s] = acc;
        }
        workgroupBarrier();
        if at.lid < s {
            acc = combine(acc, halves[at.lid]);
        }
        workgroupBarrier();
    }
    return acc;
}
#endif
