// The last six steps of a tree, written out, with a barrier between any two.
//
// The first 64 invocations bring a value each (all of them, where the workgroup is smaller), and what the
// others bring is ignored. Only invocation 0 gets the total.
//
// `WG` is known when the pipeline is made, so the conditions on it are gone by the time the kernel runs.

var<workgroup> last_tile: array<Acc, 64>;

fn last_steps(value: Acc, at: Place) -> Acc {
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
    // Invocation 0 keeps the last sum to itself: nobody waits for it, so no barrier.
    var total = value;
    if WG >= 2u && lid == 0u {
        total = combine(last_tile[0], last_tile[1]);
    }
    return total;
}
