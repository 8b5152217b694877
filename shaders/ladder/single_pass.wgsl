// single-pass: one dispatch; the last workgroup to finish combines the partials of all.
//
// The loads and the workgroup's sum are those of `vectorized`. Then, instead of a second dispatch:
//
//     workgroup 0   fold, reduce, publish partial, take a ticket (2)    done
//     workgroup 1   fold, reduce, publish partial, take a ticket (0)    done
//     workgroup 2   fold, reduce, publish partial, take a ticket (3)    the last of four: collect all, reduce, store
//     workgroup 3   fold, reduce, publish partial, take a ticket (1)    done
//
// A ticket is the old value of a counter, so exactly one workgroup takes the last ticket, and by then all
// partials have been published. No workgroup waits or spins: the others simply end. That matters, because no
// API promises that a workgroup starts while another one spins and waits for it.
//
// What it fixes over vectorized: the second dispatch and the gap before it, in which the GPU drains. The
// partials are a few kilobytes and still in the last-level cache when they are collected. And unlike the
// atomic rungs it is deterministic: whichever workgroup is last, partial i is always added at the same
// position of the same tree.
//
// What makes it delicate: WGSL orders nothing between workgroups. Its atomics are relaxed, and its barriers
// synchronize only one workgroup. An ordinary store of a partial may become visible after the ticket that
// announces it. lib/grid/partials.wgsl explains why publishing and collecting by atomics works nevertheless,
// and on which GPUs. CUDA's version (threadFenceReduction among its samples) relies on a device-wide fence.
//
// Its price is one workgroup's time at the end: with 1024 partials and WG = 256 it takes four fetches per
// invocation and one more reduction, while the rest of the GPU is idle.
//
// Beyond the documents. csc367 explains why CUDA has no barrier across blocks and concludes: use several
// kernels.
// Today: at large n as fast as vectorized. At small n, up to about 2^20 elements, starting dispatches takes
// most of the time, and one dispatch instead of two is the gain.
#import lib/grid/entry
#import shared/fold_vectors
#import <hardware>
#import lib/workgroup/reduce
#import lib/grid/partials
#import shared/store_result

struct Own {
    // The index of this dispatch's first partial in the partials buffer.
    slot: u32,
    // Workgroups of all dispatches that share the ticket counter.
    tickets: u32,
    // Always zero, but no compiler knows that: it creates a dependency that cannot be optimized away.
    zero: u32,
#ifdef strided
    // The distance from one element to the next.
    stride: u32,
#endif
}

// Flag: 1 in the last workgroup, otherwise 0. Written by invocation 0, read by all.
var<workgroup> is_last: u32;

fn kernel(at: Place, wg: Workgroup) {
    let partial = workgroup_reduce(fold(at, wg), at, wg);

    // A single workgroup needs no partials.
    if params.own.tickets == 1u {
        if at.lid == 0u {
            store_result(0u, partial, params.count);
        }
        return;
    }

    if at.lid == 0u {
        // The dispatches over several windows of one input share the partials buffer.
        is_last = select(0u, 1u, publish(params.own.slot + wg.index, partial));
    }
    // The value is uniform, and the compiler knows it, so barriers are allowed afterwards. The load itself
    // includes a barrier, which also separates the two calls of `workgroup_reduce`.
    if workgroupUniformLoad(&is_last) == 0u {
        return;
    }
    // Orders the ticket before the collecting, also for invocations that did not take the ticket.
    storageBarrier();

    // Partials are combined in the order of their indices, not of their publishing: the same bits every time.
    var acc = identity();
    for (var i = at.lid; i < params.own.tickets; i += WG) {
        acc = combine(acc, collect(i));
    }
    let sum = workgroup_reduce(acc, at, wg);
    if at.lid == 0u {
        reset_tickets();
        store_result(0u, sum, params.count);
    }
}
