// subgroup-atomic: each subgroup adds its sum to the grand total by one atomic operation.
//
// After the grid-stride loop and the reduction inside the subgroup, lane 0 does not store its sum as a
// partial. It adds the sum to a word in storage that holds the total.
//
//     subgroup 0   ==> sum --\
//     subgroup 1   ==> sum ---+--> atomicAdd(total)
//     subgroup 2   ==> sum --/
//       ...
//
// What it fixes over subgroup-add: there is no workgroup memory, no barrier, no partial result and no second
// pass over partials. Subgroups never wait for each other and retire as soon as they are done. It is the
// shortest kernel of the ladder. (The total must start from the identity, though: a tiny dispatch,
// kernels/seed.wgsl, comes before it, and for minima and maxima of floats another, kernels/seal.wgsl, after
// it.)
//
// What is wrong with it:
//   * Contention. Atomics on one address are performed one after the other in the last-level cache. The grid is
//     fixed, so their number does not grow with n: 1024 workgroups of 256 make 8192 of them with 32 lanes,
//     65 536 with 4. Many come at the end, when all subgroups finish at once.
//   * Order. The order of the subgroups varies, and floating-point addition is not associative: float sums
//     and products differ in the last bits from run to run. Integers are exact, and so are minima and maxima.
//     The rungs without atomics give the same bits each time.
//   * Native atomics exist for 32-bit integers, and for float sums only on some GPUs. Everything else takes a
//     compare-exchange loop, where a lost race means another iteration: many contenders make it much worse.
//
// From csc367, "Use atomics to optimize reductions", first form. It publishes no figure but asks which form
// is faster. "If integral data, or precision doesn't matter, can be useful!"
// Today: contention shows. 8192 atomics on one word cost an H200 some 10 µs more than workgroup-atomic's 1024
// at 2^20 and 2^24 floats; only at 2^28 do the loads hide them (docs/results). With few subgroups, at small
// n, they take less than the second dispatch that they replace.
#import lib/grid/entry
#import shared/fold_items
#import <hardware>

fn kernel(at: Place, wg: Workgroup) {
    let sum = subgroup_reduce(fold(at, wg), at, wg);
    // A surplus workgroup of the folded grid must not count items a second time.
    if at.lane == 0u && wg.index < params.groups {
        add_to_total(sum);
    }
}
