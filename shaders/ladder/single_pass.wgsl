// single-pass: one dispatch; the workgroup that finishes last adds up everyone's partial results.
//
// The loads and the workgroup's sum are those of `vectorized`. Then, instead of a second dispatch:
//
//     workgroup 0   fold, reduce, publish partial, take a ticket (2)    done
//     workgroup 1   fold, reduce, publish partial, take a ticket (0)    done
//     workgroup 2   fold, reduce, publish partial, take a ticket (3)    the last of four: collect all, reduce, store
//     workgroup 3   fold, reduce, publish partial, take a ticket (1)    done
//
// A ticket is the old value of a counter, so exactly one workgroup draws the last number, and when it does,
// all partials have been published. Nobody waits or spins: the others simply end. That matters, because no API
// promises that a workgroup which has not started yet ever will while another one spins for it.
//
// What it fixes over vectorized: the second dispatch and the gap in front of it, in which the GPU drains. The
// partials are a few kilobytes and still in the last-level cache when they are collected. And unlike the atomic
// rungs it is deterministic: whoever is last, partial i is always added at the same place of the same tree.
//
// What makes it delicate: WGSL orders nothing between workgroups. Its atomics are relaxed, its barriers end at
// the workgroup's border. An ordinary store of a partial may become visible after the ticket that announces
// it. Why publishing and collecting by atomics holds nevertheless, and where, is argued in shared/partials.wgsl.
// CUDA's version of this (threadFenceReduction among its samples) has a device-wide fence to lean on.
//
// Its price is one workgroup's time at the end: with 1024 partials and WG = 256 four fetches per invocation
// and one more reduction, while the rest of the GPU has nothing left to do.
//
// Beyond the documents. csc367 explains why CUDA has no barrier across blocks and concludes: use several
// kernels.
// Today: at large n the same as vectorized. At small n, up to about 2^20 elements, starting dispatches is
// most of the time, and one instead of two is what can be won.
#import entry
#import fold_vectors
#import subgroup_reduce
#import workgroup_reduce
#import partials
#import store_result

struct Own {
    // This dispatch's first slot of the partials buffer.
    slot: u32,
    // Workgroups of all dispatches that share the ticket counter.
    tickets: u32,
    // Always zero, which no compiler knows: it makes a dependency that cannot be folded away.
    zero: u32,
#ifdef strided
    // From an element to the next.
    stride: u32,
#endif
}

// Whether this workgroup is the last one: 1 or 0. Written by invocation 0, read by all.
var<workgroup> is_last: u32;

fn kernel(at: Place, wg: Workgroup) {
    let partial = workgroup_reduce(fold(at, wg), at, wg);

    // A lone workgroup has nobody to meet.
    if params.own.tickets == 1u {
        if at.lid == 0u {
            store_result(0u, partial, params.count);
        }
        return;
    }

    if at.lid == 0u {
        // Dispatches over several windows of one input share the partials buffer.
        is_last = select(0u, 1u, publish(params.own.slot + wg.index, partial));
    }
    // The same answer for all invocations, and known to be: after it, barriers are allowed. It has one itself,
    // which also separates the two calls of `workgroup_reduce`.
    if workgroupUniformLoad(&is_last) == 0u {
        return;
    }
    // The ticket comes before the collecting, also in the eyes of invocations that did not draw it.
    storageBarrier();

    // Slots are taken in the order of their numbers, whoever published first: the same bits every time.
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
