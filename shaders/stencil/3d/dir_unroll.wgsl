// dir-unroll2, -4 and dir-unroll2-cse, -4-cse, 27 points: UNROLL planes in each round of the direct sweep.
//
// The sweep through the planes (shared/plane_sweep.wgsl) takes UNROLL planes at a time: it loads that many
// new ones, passes a barrier, computes that many, passes a barrier. The tile holds UNROLL + 2 layers. Halos
// are loaded as in dir-fusion2.
//
//     UNROLL               1      2      4      8         workgroup memory, f32, 8 × 32       4.0 KiB at 1, 5.3 at 2,
//     barriers per plane   2      1     1/2    1/4                                            8.0 at 4
//     reads per output    27     27     27     27         each output by itself (outputs/each.wgsl)
//     reads per output    27     18     13.5   11.25      common subexpressions (outputs/common_sums.wgsl)
//
// What it changes over dir-fusion2: barriers, and loads in flight. Between two barriers an invocation has
// UNROLL loads in flight, not one; for a kernel that is limited by latency this matters most. The loop's own
// overhead is divided, too.
//
// With -cse, outputs share what they have in common. Seen from the output, a plane contributes its centre,
// the sum of the four cells around it and the sum of the four diagonal ones. For the planes below and above
// the same three sums are needed with other coefficients. So each layer is read and summed once per round:
// the 30 operations of an output become 6 for a layer and 12 for an output, which is 24 with UNROLL = 2 and
// 21 with 4, and reads of the tile fall as in the table. Sums are added in another order than without -cse:
// the last bits may differ, except for data where every order is exact. Between rounds no sums are kept: the
// two layers that overlap are summed again. (plane-sums keeps them.)
//
// From the thesis, DIR_UNROLL2, DIR_UNROLL4 and both with CSE. Best direct kernel: DIR_UNROLL2_CSE, 8 × 16,
// 15.50 s and 93.65 GFLOP/s (30 operations a cell) for 750 steps over 256 MiB, about 3.2 GCell-updates/s,
// best at nearly every block size. UNROLL = 4 takes more registers and workgroup memory, of which a core had
// 16 KiB for all its blocks.
// Today: expect unrolling to help and -cse to help more, as the reads of the tile are the bottleneck. The
// optimum moves to larger UNROLL, because cores have more of both. A compiler that sees two outputs read the same
// slots without a barrier in between may share the reads by itself. It must not reorder the sums, so -cse keeps
// an edge.
#import stencil/cells/one
#import stencil/tile3d/direct
#import stencil/shared/halo_ring
#import stencil/shared/plane_sweep
