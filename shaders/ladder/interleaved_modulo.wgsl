// interleaved-modulo: a tree in workgroup memory; every 2s-th invocation adds the value s slots away.
//
// Each invocation loads one element into workgroup memory. Then neighbours are added, then every other one,
// then every fourth, until slot 0 holds the workgroup's sum. The barrier after each step makes one step's
// results visible before the next step reads them.
//
//     slot       0     1     2     3     4     5     6     7
//     s = 1      0 <-- 1     2 <-- 3     4 <-- 5     6 <-- 7     invocations 0 2 4 6
//     s = 2      0 <-------- 2           4 <-------- 6           invocations 0 4
//     s = 4      0 <-------------------- 4                       invocation 0
//
// What it fixes over the global rungs: values stay on the chip between two additions. The input is read once,
// only one result per WG elements is written, and log2(WG) halvings share one dispatch.
//
// What is wrong with it, and is kept on purpose:
//   * Divergence. The lanes of a subgroup share one instruction stream, and lanes that have nothing to do are
//     switched off while the others work. Of 32 lanes 16 add in the first step, then 8, 4, 2, 1: for five
//     steps every subgroup issues every instruction, for fewer and fewer of its lanes.
//   * `%`. GPUs have no instruction for integer division; a remainder by a number that the compiler does not
//     know takes some twenty instructions, here once in every step. (naga adds a test for a zero divisor.)
//   * Half of the invocations never add anything. They only load one element and wait at barriers.
// It has no bank conflicts, though: the active lanes of a subgroup touch different words of one short row.
//
// From tga 01 (the CPU adds the partials) and tga 02 (the same kernel again until 64 are left), and csc367
// attempt 1. Published: tga 01 7.464704 ms, 8.990 GB/s for 2^24 doubles, counting four bytes an element
// (eight would be 18 GB/s); csc367 8.054 ms, 2.083 GB/s.
// Today: it depends on the loop. A compiler that unrolls it sees a constant `2u * s` and turns the remainder
// into a mask; nvcc does for the CUDA twin, which takes 78 µs for 2^24 floats on an H200. NVIDIA's Vulkan
// compiler leaves the loop, hence the division, and takes 209 (docs/results/cuda.md). Divergence and one
// barrier per step remain in both: for 256 elements 9 barriers for one load per invocation, far too little in
// flight to keep memory busy.
#import shared/load
#import shared/store

var<workgroup> tile: array<Acc, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    tile[lid] = load_or_identity(group * WG + lid);
    workgroupBarrier();

    for (var s = 1u; s < WG; s *= 2u) {
        if lid % (2u * s) == 0u {
            tile[lid] = combine(tile[lid], tile[lid + s]);
        }
        // Not inside the `if`: a barrier that only some invocations reach is an error.
        workgroupBarrier();
    }

    if lid == 0u {
        store(group, tile[0]);
    }
}
