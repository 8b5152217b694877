// sol-smem, 5 points: blocks overlap by two, every invocation loads exactly one cell, the rim computes
// nothing.
//
// The overlapped mapping (tile2d/overlapped.wgsl, "solapado"): each invocation loads one cell of the tile,
// including the halo. After the barrier the invocations that are not on the tile's rim compute.
//
//     direct       ROWS × COLS invocations, all compute, some load a second cell: branches while loading
//     overlapped   ROWS × COLS invocations, all load one cell, (ROWS - 2) × (COLS - 2) compute: none while loading
//
// What it changes over dir-smem: no branch before the barrier. Every subgroup loads a row, or part of one,
// with a single wide access, halo included. The price is invocations that idle afterwards, and their loads:
// the share of computed cells is 0.77 with 16 × 16, 0.70 with 8 × 32, 0.66 with 8 × 16, and 0.88 with 32 ×
// 32. The direct mapping loads about as much, but keeps all invocations busy. Hence large blocks suit this
// kernel.
//
// What is wrong with it: blocks begin at multiples of COLS - 2, so a row of a tile is hardly ever aligned,
// and takes two cache lines where it would fit one. The stores likewise. And the rim makes up to a third of
// the invocations idle.
//
// From the thesis, SOL_SMEM in 2D, "conceived during this work"; it finds no source that does the same. There
// is one: the hotspot benchmark of Rodinia (2009) computes several steps on a tile that shrinks by one cell
// on each side per step, known as ghost zones or overlapped tiling. SOL is that with a single step, T = 1,
// where the rim costs most and saves least.
// Today: this trade still works (loads are cheap, divergence is not), but at T = 1 the memory decides. Expect
// about what the direct variants reach. With T > 1 it is the mapping behind the fastest stencils there are.
#import stencil/cells/one
#import stencil/shared/grid2d
#import stencil/tile2d/overlapped
#import stencil/shared/star_tile
#import stencil/shared/blocks2d

fn kernel(at: TileCell) {
    tile[slot(at.y, at.x)] = load(at.r, at.c);
    workgroupBarrier();
    if works(at) {
        put(index_of(at.r, at.c), star_around(at, tile[slot(at.y, at.x)]));
    }
}
