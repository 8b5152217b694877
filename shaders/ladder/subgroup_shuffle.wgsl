// subgroup-shuffle: lanes read each other's registers; workgroup memory carries one value per subgroup.
//
// Each invocation folds its share of the input in a grid-stride loop. Then the lanes of a subgroup add their
// values by shuffles: lane i receives the register of lane i + d, and d is halved from step to step.
//
//     lane       0     1     2     3     4     5     6     7
//     d = 4     0+4   1+5   2+6   3+7    .     .     .     .      the values at the dots no longer matter
//     d = 2     0+2   1+3    .     .
//     d = 1     0+1    .
//
// Lane 0 of each subgroup writes its sum to workgroup memory, one barrier follows, and those few sums are
// reduced by shuffles once more.
//
// What it fixes over the trees in workgroup memory: a step was a store, a barrier and two loads, and is now
// one instruction and an addition. The operation itself synchronizes the lanes: it guarantees the lockstep on
// which the documents' unrolled-last relied. For WG = 256 and 32 lanes, eight barriers become one, and 1 KiB
// of workgroup memory becomes 32 bytes in use.
//
// The width needs care. The slides hard-code 32 lanes, hence at most 32 sums, which one warp can finish. Here
// no width is assumed: subgroups have 4 to 128 lanes. With narrow subgroups there are more sums than lanes
// (256 invocations in subgroups of 4 leave 64), so each lane first adds several. Also, WGSL does not define
// the value of a lane past the end, where CUDA returns the caller's own value: the tree ignores it.
//
// What is still wrong: the shuffles are written by hand, though drivers know better (subgroup-add), and the
// loads are scalar (vectorized).
//
// From csc367, "Block reduce" and "Reduce across blocks": two dispatches, at most 1024 workgroups in the
// first so that one workgroup of 1024 can finish. No figure is published.
// Today: after a grid-stride loop the tree is a small part of the work, and the loop decides. It loads one
// item per step where grid-stride loads two, so fewer bytes are in flight: 34 µs against 25 for 2^24 floats
// on an H200 (docs/results). At small n, where latency is all of the time, having fewer barriers makes up for
// it.
#import lib/grid/entry
#import shared/fold_items
#import lib/subgroup/reduce
#import lib/workgroup/reduce
#import shared/store

fn kernel(at: Place, wg: Workgroup) {
    let sum = workgroup_reduce(fold(at, wg), at, wg);
    if at.lid == 0u {
        store(wg.index, sum);
    }
}
