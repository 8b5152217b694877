// workgroup-atomic: each workgroup adds its sum to the grand total by one atomic operation.
//
// This is subgroup-atomic with one more stage: the sums of the subgroups are combined through workgroup
// memory, and only invocation 0 of the workgroup adds to the total. On a GPU without subgroup operations the
// workgroup's sum comes from the tree of `sequential`.
//
//     subgroups 0 … 7   ==> workgroup memory ==> sum --\
//     subgroups 8 … 15  ==> workgroup memory ==> sum ---+--> atomicAdd(total)
//       ...                                            /
//
// What it fixes over subgroup-atomic: contention. With 256 invocations and 32 lanes there are an eighth as
// many atomics, 1024 for 1024 workgroups, for one barrier per workgroup. That is a good trade wherever
// atomics are slow, and most of all where they are a compare-exchange loop (products, floats on many GPUs):
// the number of lost races grows faster than the number of contenders.
//
// It is a general pattern: combine first where communication is cheap, and then where it is expensive.
// Register, then subgroup, then workgroup memory, then storage: each level handles a fraction of the values
// of the previous one.
//
// What is still wrong: the order of the atomics varies, so float sums and products are not reproducible, and
// a dispatch must first set the total to the identity. single-pass has neither problem.
//
// From csc367, "Use atomics to optimize reductions", second form, without a figure. The slides ask
// which of the two is faster.
// Today: the last-level cache of a large GPU performs an atomic on one address every few nanoseconds or
// better, so a few hundred to a thousand of them, spread over a kernel's run, hardly show. Expect the time of
// subgroup-add without its second pass.
#import lib/grid/entry
#import shared/fold_items
#import <hardware>
#import lib/workgroup/reduce

fn kernel(at: Place, wg: Workgroup) {
    let sum = workgroup_reduce(fold(at, wg), at, wg);
    // A surplus workgroup of the folded grid must not count items a second time.
    if at.lid == 0u && wg.index < params.groups {
        add_to_total(sum);
    }
}
