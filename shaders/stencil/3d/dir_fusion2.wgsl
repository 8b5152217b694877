// dir-fusion2, 27 points: one branch with another kind of condition loads the halo.
//
// The second fusion of 2D selects the invocations on a diagonal. For a box with corners it is better to
// select the first invocations. The halo of a layer has 2 · (COLS + 2) + 2 · ROWS cells, including the
// corners. Invocation k of the workgroup loads the k-th of them, if there is one (shared/halo_ring.wgsl):
//
//     8 × 16     52 cells of halo, 128 invocations: the first two subgroups of 32 load a second cell, the others none
//     8 × 32     84 cells, 256 invocations: the first three of eight subgroups
//
// What it changes over dir-fusion: the subgroups that load halo are full, and those that do not load skip the
// branch entirely. Neighbouring lanes load neighbouring cells of the two rows, so a row costs one wide
// access. Columns still cost a cache line per cell, but all of them in one or two instructions rather than in
// every subgroup of the block. The price is some arithmetic to find out which cell the k-th is.
//
// What is still wrong: some subgroups load twice while others wait for them at the barrier. The rest is as in dir-fusion.
//
// From the thesis, DIR_FUSION2 in 3D, one of its "small changes to the flow of control"; together with
// dir-fusion it gave a significant reduction. The thesis does not give its condition, so this one is an
// interpretation.
// Today: the best way to load a halo in these files, and what dir-unroll builds upon. dir-fusion and
// dir-fusion2 differ by a few percent; which is faster depends on the subgroup's width.
#import stencil/cells/one
#import stencil/tile3d/direct
#import stencil/shared/halo_ring
#import stencil/shared/plane_sweep
