// accumulate: every workgroup adds its partial directly to the result, by one atomic operation.
//
// The loads and the workgroup's sum are those of `single-pass`. What follows differs:
//
//     single-pass   fold, reduce, publish partial, take a ticket; the last one collects all, reduces, stores
//     accumulate    fold, reduce, atomicAdd(result)
//
// Publishing, the ticket and collecting are three trips to the last-level cache, one after the other, and a second reduction, while the GPU is
// idle. An atomic operation whose old value is not used is one trip, and no invocation waits for it.
//
// The price is a starting value. A dispatch that sets it would take longer than the time saved, as the rung `workgroup-atomic` shows. So the
// caller sets the result to the identity, or leaves a running total there, over the frames of a second or the pieces of a stream.
//
// The order of the atomics varies. That does not affect integers, but a sum of floats may have different last bits every time.
//
// CUB's reduction has it as the variant without a guaranteed order.
#import lib/grid/entry
#import shared/fold_vectors
#import <hardware>
#import lib/workgroup/reduce

fn kernel(at: Place, wg: Workgroup) {
    let sum = workgroup_reduce(fold(at, wg), at, wg);
    if at.lid == 0u {
        add_to_total(sum);
    }
}
