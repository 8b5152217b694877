// unrolled-last: the loop stops at 64 values, and the last six steps are written out.
//
// When at most 64 values are left, one warp of 32 can finish alone. The documents let it do so without
// barriers and without `if`: six additions in a row, `sdata[tid] += sdata[tid + 32]`, then + 16, … + 1. A
// warp, they say, runs in lockstep, so all 32 loads of a line happen before its 32 stores. `volatile` (in
// tga; csc367 does without) keeps the compiler from holding the values in registers.
//
// That cannot be ported. Invocation 0 reads what invocation 16 wrote, and nothing orders the two accesses.
// This is a data race, and WGSL promises nothing about it. The problem is real:
//   * subgroups have 4 to 128 lanes, and Intel's are often 8 or 16 wide: no lockstep across 32;
//   * since Volta NVIDIA GPUs may run the lanes of a warp independently, and CUDA requires `__syncwarp` there;
//   * WGSL has no `volatile`, so a compiler may keep `tile[lid]` in a register for all six steps.
// So `last_steps` comes in two forms. Without subgroup operations it has six written-out steps with a barrier
// each. With them each subgroup adds its values in registers, and the few sums are combined through workgroup
// memory once. This achieves what the lockstep trick intended, in a form that is correct on every GPU.
//
// What it fixes over first-add: in the documents, six of nine barriers and all loop overhead of the last
// steps, for every warp of the block and not only for the one that works. Here, WG = 512: ten barriers become
// nine with barriers written out, and four with subgroups.
// What is still wrong: the loop above it, and two loads per invocation.
//
// From tga 06, which publishes no figure, and csc367 attempt 5: 0.536 ms, 31.289 GB/s, 1.8 times attempt 4.
// Today: expect little without subgroups, and more with them, as long as the tree limits the kernel.
#import lib/grid/entry
#import shared/load
#import lib/workgroup/last_steps
#import shared/store

var<workgroup> tile: array<Acc, WG>;

fn kernel(at: Place, wg: Workgroup) {
    let i = wg.index * 2u * WG + at.lid;
    tile[at.lid] = combine(load_or_identity(i), load_or_identity(i + WG));

    for (var s = WG >> 1u; s > 32u; s >>= 1u) {
        // At the top, so that none follows the last step: `last_steps` takes each invocation's own value.
        workgroupBarrier();
        if at.lid < s {
            tile[at.lid] = combine(tile[at.lid], tile[at.lid + s]);
        }
    }

    let sum = last_steps(tile[at.lid], at, wg);
    if at.lid == 0u {
        store(wg.index, sum);
    }
}
