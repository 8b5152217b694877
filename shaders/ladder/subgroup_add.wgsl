// subgroup-add: the subgroup's sum is one built-in call, and the driver chooses how.
//
// The kernel is that of subgroup-shuffle. Only `subgroup_reduce` is another piece: where an operator has a
// built-in (subgroupAdd, subgroupMul, subgroupMin, subgroupMax), the composer generates one line that calls
// it; where it has none, the shuffle tree stays.
//
//     registers of 32 lanes  ->  subgroupAdd  ->  the sum, in every lane
//
// What it fixes over subgroup-shuffle: five shuffles and five additions that the driver cannot see as one
// thing become an operation that it can. Recent NVIDIA GPUs reduce 32-bit integers over a warp in one
// instruction; AMD's add values of nearby lanes while reading them; Apple's compiler has `simd_sum`. For a
// type without such help the driver writes a tree itself, and not a worse one. The text also no longer
// mentions a width at all, and all lanes get the result, as with the butterfly.
//
// The price is that the order of the additions is the driver's. The same device, driver and workgroup size
// give the same bits twice; two GPUs may round a float sum differently. (Two subgroup widths do so anyway.)
// Integer sums, minima and maxima have no such freedom. A NaN is no concern here either: minima and maxima of
// floats are taken over integer keys, see operators/shared/order.wgsl.
//
// What is still wrong: one scalar load at a time per invocation. At large n that is the limit: this rung asks
// the memory for 4 bytes per lane, vectorized for 64.
//
// Beyond the documents: csc367 (CUDA 9) had shuffles only. The built-ins came with CUDA's cooperative groups,
// Vulkan 1.1 and WGSL's `subgroups`.
// Today: expect subgroup-shuffle or a little better; most at small n, and with integers.
#import entry
#import fold_items
#import subgroup_reduce
#import workgroup_reduce
#import store

fn kernel(at: Place, wg: Workgroup) {
    let sum = workgroup_reduce(fold(at, wg), at, wg);
    if at.lid == 0u {
        store(wg.index, sum);
    }
}
