// sol-smem, 27 points: the overlapped mapping walks the planes; one load per invocation and plane, no branch.
//
// As in 2D, invocations stand for all cells of the tile, halo and corners included. Each loads its own cell of
// each plane. Those not on the rim compute, from three layers of the tile (shared/plane_sweep.wgsl,
// shared/overlapped3d.wgsl).
//
// What it changes over dir-smem: eight branches per plane are gone, and nothing takes their place. The corners,
// which cost the direct mapping branches of their own, come for free. And an invocation's address only moves by
// a plane from one round to the next, where in the direct mapping some have two or three addresses to keep. The
// price is idle invocations while computing, and in 3D computing is 27 reads and 30 operations: 0.77 of the
// invocations do it with 16 × 16, 0.70 with 8 × 32 (the rest of a subgroup's lanes are masked off, its time is
// spent all the same).
//
// What is still wrong: two barriers per plane and one load per invocation between them; 27 reads of the tile
// per computed cell; rows of tiles that begin anywhere in a cache line.
//
// From the thesis, SOL_SMEM in 3D, the start of its figure 3.5; no figure in print. Its other variants unroll
// this one. It is, as in 2D, the case of a single time step of overlapped tiling (Rodinia's hotspot, ghost
// zones).
// Today: the same branch-free loads, but a direct mapping's extra loads mostly hit a cache. Expect both near
// each other, and both limited by how fast the tile is read, which is what common subexpressions are for.
#import cells
#import overlapped3d
#import outputs
