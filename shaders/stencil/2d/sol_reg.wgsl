// sol-reg, 5 points: sol-smem, with the invocation's own cell kept in a register as well.
//
// The value that an invocation loads goes to the tile for its neighbours, and stays in a register for its own
// cell.
//
// What it changes over sol-smem: four reads of workgroup memory per computed cell instead of five. According
// to the thesis nothing else is left to change: there are no branches to fuse and no loop to unroll.
//
// What is still wrong: the idle rim, rows that are not aligned, and a barrier between the only load and the
// only store of an invocation, so that a workgroup either loads or computes. Other workgroups on the same
// core have to fill the gap, and small blocks, of which many fit, help them to.
//
// From the thesis, SOL_REG in 2D, its best 5-point kernel: 16.45 s, 30.47 GFLOP/s (5 operations a cell) for
// 1500 steps over 8192 × 8192 f32 with blocks of 16 × 16, 6.12 GCell-updates/s and 21 % ahead of the best
// direct one. Over sol-smem it gained less than 5 %. A block of 8 × 32 has as many invocations and came
// close. Why it won: on that GPU, subgroups of 32 issue loads for half-subgroups of 16, uncached. Every
// divergent halo load was a full trip to memory, and here there are none. With 16 × 16, 1.31 words were
// loaded for each computed cell.
// Today: a cache takes in the halo loads of the direct mapping, so its disadvantage shrinks, while the idle
// quarter of the invocations stays. Expect the order of the two to differ from GPU to GPU, and direct-global
// near or above both.
#import stencil/cells/one
#import stencil/shared/grid2d
#import stencil/tile2d/overlapped
#import stencil/shared/star_tile
#import stencil/shared/blocks2d

fn kernel(at: TileCell) {
    let own = load(at.r, at.c);
    tile[slot(at.y, at.x)] = own;
    workgroupBarrier();
    if works(at) {
        put(index_of(at.r, at.c), star_around(at, own));
    }
}
