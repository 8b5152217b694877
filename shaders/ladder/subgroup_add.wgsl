// subgroup-add: the subgroup's sum is one built-in call, and the driver chooses how.
//
// The kernel is that of subgroup-shuffle; only `subgroup_reduce` differs. If an operator has a built-in
// (subgroupAdd, subgroupMul, subgroupMin, subgroupMax), the composer generates one line that calls it.
// Otherwise the shuffle tree stays.
//
//     registers of 32 lanes  ->  subgroupAdd  ->  the sum, in every lane
//
// What it fixes over subgroup-shuffle: five shuffles and five additions, which the driver cannot recognise as
// a reduction, become one operation. Recent NVIDIA GPUs reduce 32-bit integers over a warp in one
// instruction; AMD's add values of nearby lanes while reading them; Apple's compiler has `simd_sum`. For
// other types the driver generates a tree itself, which is no worse. The text also no longer mentions a
// width, and all lanes get the result, as with the butterfly.
//
// The price is that the driver chooses the order of the additions. The same device, driver and workgroup size
// give the same bits every time; two GPUs may round a float sum differently. (Two subgroup widths do so
// anyway.) For integer sums, minima and maxima the order does not matter. NaN is not a problem either: minima
// and maxima of floats compare integer keys, see operators/shared/order.wgsl.
//
// What is still wrong: one scalar load at a time per invocation. At large n that is the limit: this rung has
// 4 bytes per lane in flight, vectorized has 64.
//
// Beyond the documents: csc367 (CUDA 9) had shuffles only. The built-ins came with CUDA's cooperative groups,
// Vulkan 1.1 and WGSL's `subgroups`.
// Today: expect subgroup-shuffle or a little better; most at small n, and with integers.
#import lib/grid/entry
#import shared/fold_items
#import <hardware>
#import lib/workgroup/reduce
#import shared/store

fn kernel(at: Place, wg: Workgroup) {
    let sum = workgroup_reduce(fold(at, wg), at, wg);
    if at.lid == 0u {
        store(wg.index, sum);
    }
}
