// grid-stride: a fixed number of workgroups; each invocation adds many elements before the one tree.
//
// first-add doubles what an invocation loads before the tree. This rung takes the idea to its end: dispatch
// only as many workgroups as keep the GPU full, and let each invocation loop over the input, adding to a
// register.
//
//     input      |  group 0  |  group 1  |  group 2  |  group 0  |  group 1  |  group 2  |  group 0 ...
//                 2 WG items                          <- one grid = groups x 2 WG ->
//
// The step is the whole grid. So at any moment neighbouring lanes read neighbouring words and the grid as a
// whole sweeps through memory in one broad front. (One contiguous piece per invocation would be the same sum
// and many times slower: 32 lanes would touch 32 different cache lines with each instruction.)
//
// What it fixes over unrolled-full: the tree is paid once per workgroup instead of once per 2 · WG elements,
// so its cost no longer grows with n; workgroups are not started and retired all the time; the number of
// partial results is fixed. In the slides' terms, log n sequential additions per thread make the algorithm
// cost-efficient (Brent's theorem: algorithm cascading).
//
// Two slips of the documents are not ported. The final listing of csc367 assigns in the loop, `=` where `+=`
// is meant, so only the last pair of each thread would count. And both tga and csc367 test `i < n` but read
// element i + blockSize as well, past the end unless n is a multiple of 2 · WG. Here that load is guarded.
//
// From tga 07: 2048 workgroups of 512, hence 16 elements per invocation at 2^24; the CPU adds the 2048
// partials. And csc367 attempt 7: 0.268 ms, 62.671 GB/s, 1.42 times attempt 6 and 30.04 times attempt 1; 73
// GB/s at 32 Mi.
// Today: the last big step of the ladder. What is left is bytes in flight: scalar loads, two at a time, and a
// guard between them. `vectorized` loads four vectors of four.
#import lib/grid/entry
#import shared/load
#import lib/workgroup/unrolled_tree
#import shared/store

fn kernel(at: Place, wg: Workgroup) {
    let grid = params.groups * 2u * WG;
    var acc = identity();
    for (var i = wg.index * 2u * WG + at.lid; i < params.len; i += grid) {
        // The pair is added first, then the accumulator: the two loads need not wait for the previous
        // addition.
        acc = combine(acc, combine(load(i), load_or_identity(i + WG)));
    }

    let sum = unrolled_tree(acc, at);
    if at.lid == 0u {
        store(wg.index, sum);
    }
}
