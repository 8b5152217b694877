// sol-smem, 27 points: the overlapped mapping sweeps through the planes; one load per invocation and plane,
// no branch.
//
// As in 2D, there is one invocation per cell of the tile, including the halo and its corners. Each loads its
// own cell of each plane. Those that are not on the rim compute, from three layers of the tile
// (shared/plane_sweep.wgsl, tile3d/overlapped.wgsl).
//
// What it changes over dir-smem: eight branches per plane are gone, and nothing takes their place. The
// corners, which cost the direct mapping branches of their own, come for free. And an invocation's address
// only moves by a plane from one round to the next, where in the direct mapping some have two or three
// addresses to keep. The price is idle invocations while computing, and in 3D computing is 27 reads and 30
// operations: 0.77 of the invocations do it with 16 × 16, 0.70 with 8 × 32 (the rest of a subgroup's lanes
// are masked off, its time is spent all the same).
//
// What is still wrong: as in dir-smem, and rows of tiles that begin anywhere in a cache line.
//
// From the thesis, SOL_SMEM in 3D, the start of its figure 3.5; no number is printed. Its other variants
// unroll this one. As in 2D, it is overlapped tiling with a single time step (Rodinia's hotspot, ghost
// zones).
// Today: the loads are still free of branches, but the extra loads of a direct mapping mostly hit a cache.
// Expect both mappings to be about equally fast, limited by the reads of the tile. Common subexpressions
// reduce these.
#import stencil/cells/one
#import stencil/tile3d/overlapped
#import stencil/shared/plane_sweep
