// accumulate: every workgroup takes its share straight to the result, by one atomic operation.
//
// The loads and the workgroup's sum are those of `single-pass`. What comes behind differs:
//
//     single-pass   fold, reduce, publish partial, take a ticket; the last one collects all, reduces, stores
//     accumulate    fold, reduce, atomicAdd(result)
//
// A ticket is only worth drawing once the partial has been published, and the partials can only be collected once the last
// ticket is drawn: three trips to the last-level cache, one after the other, and a second reduction, with an idle GPU
// around them. An atomic whose old value nobody asks for is one trip, and no invocation waits for it.
//
// What that costs is a starting value. Somebody has to set the result to the identity, and a dispatch for that, and the
// barrier behind it, would take longer than all that was won: the rung `workgroup-atomic`, which has one, shows it. So this
// kernel leaves it to whoever calls: it adds to what is there. That is what a running total needs anyhow, over the frames of
// a second or the pieces of a stream.
//
// And the order of the atomics is chance. It does not matter to integers, whose sums, minima and bits are the same in any
// order; a sum of floats may end in other last bits every time.
//
// Beyond the documents. csc367 asks which is faster, an atomic or one more kernel; CUB's reduction has this one as
// its variant without a guaranteed order.
#import entry
#import fold_vectors
#import subgroup_reduce
#import workgroup_reduce
#import native_atomic

fn kernel(at: Place, wg: Workgroup) {
    let sum = workgroup_reduce(fold(at, wg), at, wg);
    if at.lid == 0u {
        native_atomic(sum);
    }
}
