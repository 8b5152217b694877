// sol-unroll2, -4, -8 and -2-cse, -4-cse, -8-cse, 27 points: UNROLL planes per round of the overlapped sweep.
//
// Each invocation loads UNROLL cells, one in each of UNROLL planes, without a branch and without extra loads
// for a halo; its address moves by a plane from one to the next. After the barrier it computes UNROLL cells,
// if it is not on the rim.
//
//     UNROLL               1      2      4      8         workgroup memory, f32, 8 × 32       3 KiB at 1, 4 at 2,
//     barriers per plane   2      1     1/2    1/4                                            6 at 4, 10 at 8
//     reads per output    27     27     27     27         each output by itself (outputs/each.wgsl)
//     reads per output    27     18     13.5   11.25      common subexpressions (outputs/common_sums.wgsl)
//
// What it changes over sol-smem: barriers per plane, loads in flight, and with -cse the reads of the tile and
// the arithmetic. All that is as in dir-unroll, which explains it. But here an unrolled load is one
// instruction, whereas each unrolled plane of the direct mapping drags its halo along; hence the thesis goes
// to 8 here, and to 4 there.
//
// What is still wrong: the rim idles while the rest computes, and each round reads two layers again.
//
// From the thesis, SOL_UNROLL2, 4 and 8, plain and with CSE. Its best 27-point kernels are SOL_UNROLL4_CSE
// with 8 × 32, 8.51 s and 170.48 GFLOP/s, and SOL_UNROLL2_CSE with 12 × 32, 8.54 s and 170.04 (750 steps over
// 256 MiB; 30 operations a cell; about 5.9 GCell-updates/s): some 80 % ahead of the best direct one. The
// thesis attributes this to the missing branches. Unrolling with common subexpressions halved the time in
// some cases.
// Today: at 8 planes, with 11.25 reads and some 19 operations per cell, it comes near the speed that the
// memory allows. The remaining cost is that of barriers while nothing else is ready to run. Several
// workgroups on a core hide it, so blocks of 256 are better than the largest UNROLL with the largest block.
#import stencil/cells/one
#import stencil/tile3d/overlapped
#import stencil/shared/plane_sweep
