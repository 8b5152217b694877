// The last six steps of a tree. The first 64 invocations contribute a value each (all invocations in a smaller workgroup). Only invocation 0
// gets the total.
//
// Subgroups do the steps in registers, with a single barrier (reduce.wgsl). WGSL does not guarantee that the first 64 invocations fill
// the first subgroups. Hence all subgroups take part, and the other invocations contribute identities.
//
// Without subgroups the steps are written out, with a barrier between any two. `WG` is known when the pipeline is created, so the compiler
// removes the conditions on it.
#import <operator>
#import lib/grid/entry

#ifdef subgroups
#import <hardware>
#import lib/workgroup/reduce

fn last_steps(value: Acc, at: Place, wg: Workgroup) -> Acc {
    var acc = identity();
    if at.lid < 64u {
        acc = value;
    }
    return workgroup_reduce(acc, at, wg);
}
#else
var<workgroup> last_tile: array<Acc, 64>;

// The step from `2 s` values to `s`, unless the workgroup is smaller.
fn last_step(lid: u32, s: u32) {
    if WG >= 2u * s {
        if lid < s {
            last_tile[lid] = combine(last_tile[lid], last_tile[lid + s]);
        }
        workgroupBarrier();
    }
}

fn last_steps(value: Acc, at: Place, wg: Workgroup) -> Acc {
    let lid = at.lid;
    if lid < 64u {
        last_tile[lid] = value;
    }
    workgroupBarrier();
    last_step(lid, 32u);
    last_step(lid, 16u);
    last_step(lid, 8u);
    last_step(lid, 4u);
    last_step(lid, 2u);
    // Only invocation 0 uses the last sum, so it needs no barrier.
    var total = value;
    if WG >= 2u && lid == 0u {
        total = combine(last_tile[0], last_tile[1]);
    }
    return total;
}
#endif
