// The last six steps of a tree. The first 64 invocations contribute a value each (all invocations in a
// smaller workgroup). The values of the others are ignored. Only invocation 0 gets the total.
//
// Subgroups do the steps in registers, with a single barrier: each reduces its values, its lane 0 stores the
// result to workgroup memory, and after the barrier every subgroup reduces those results. No width is
// assumed, and neither is the assignment of invocations to subgroups: usually the first 64 fill the first
// subgroups, but WGSL does not guarantee it. Hence all subgroups take part; invocations after the first 64
// contribute identities. They would otherwise only wait.
//
// Without subgroups the steps are written out, with a barrier between any two. `WG` is known when the
// pipeline is created, so the compiler removes the conditions on it.
#import operator
#import entry

#ifdef subgroups
#import subgroup_reduce

// The narrowest subgroup that exists has four lanes.
var<workgroup> last_slots: array<Acc, (WG + 3u) / 4u>;

fn last_steps(value: Acc, at: Place, wg: Workgroup) -> Acc {
    var acc = identity();
    if at.lid < 64u {
        acc = value;
    }
    let own = subgroup_reduce(acc, at, wg);
    if at.lane == 0u {
        last_slots[at.subgroup] = own;
    }
    workgroupBarrier();
    var sum = identity();
    for (var i = at.lane; i < wg.subgroups; i += wg.width) {
        sum = combine(sum, last_slots[i]);
    }
    return subgroup_reduce(sum, at, wg);
}
#else
var<workgroup> last_tile: array<Acc, 64>;

fn last_steps(value: Acc, at: Place, wg: Workgroup) -> Acc {
    let lid = at.lid;
    if lid < 64u {
        last_tile[lid] = value;
    }
    workgroupBarrier();
    if WG >= 64u {
        if lid < 32u {
            last_tile[lid] = combine(last_tile[lid], last_tile[lid + 32u]);
        }
        workgroupBarrier();
    }
    if WG >= 32u {
        if lid < 16u {
            last_tile[lid] = combine(last_tile[lid], last_tile[lid + 16u]);
        }
        workgroupBarrier();
    }
    if WG >= 16u {
        if lid < 8u {
            last_tile[lid] = combine(last_tile[lid], last_tile[lid + 8u]);
        }
        workgroupBarrier();
    }
    if WG >= 8u {
        if lid < 4u {
            last_tile[lid] = combine(last_tile[lid], last_tile[lid + 4u]);
        }
        workgroupBarrier();
    }
    if WG >= 4u {
        if lid < 2u {
            last_tile[lid] = combine(last_tile[lid], last_tile[lid + 2u]);
        }
        workgroupBarrier();
    }
    // Only invocation 0 uses the last sum, so it needs no barrier.
    var total = value;
    if WG >= 2u && lid == 0u {
        total = combine(last_tile[0], last_tile[1]);
    }
    return total;
}
#endif
