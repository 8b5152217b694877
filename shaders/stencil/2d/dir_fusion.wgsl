// dir-fusion, 5 points: the four branches of the halo become two, each with a richer condition.
//
//     at.y == 1        load the row above             at.y == 1 || at.y == ROWS      load the row above or below
//     at.y == ROWS     load the row below      ->
//     at.x == 1        load the column before         at.x == 1 || at.x == COLS      load the column before or after
//     at.x == COLS     load the column after
//
// Inside a branch both sides run the same instructions, with a -1 or a +1 that is selected, not branched on.
// An invocation has at most one side in each direction, so ROWS and COLS must be at least 2.
//
// What it changes over dir-reg: two branches and two loads are issued where there were four. That helps most
// in the pair for west and east, which every subgroup passes: its two single-lane loads become one load of
// two lanes. For north and south it depends on the shape. In 8 × 16 a subgroup of 32 holds two rows, so the
// first and the last subgroup take the branch with half of their lanes, once, as before; only where one
// subgroup holds the first and the last row (a block of two rows of 16) does fusing save a load.
//
// What is still wrong: the halo's columns remain loads of one word per cache line, and all invocations wait for them.
//
// From the thesis, DIR_FUSION in 2D, its best direct variant: 19.97 s, 25.11 GFLOP/s (5 operations a cell)
// for 1500 steps over 8192 × 8192 f32 with blocks of 8 × 16. That is 5.04 GCell-updates/s.
// Today: the same as dir-smem within a few percent, as predicated loads have made short branches cheap.
#import stencil/cells/one
#import stencil/shared/grid2d
#import stencil/tile2d/direct
#import stencil/shared/star_tile
#import stencil/shared/blocks2d

fn kernel(at: TileCell) {
    let own = load(at.r, at.c);
    tile[slot(at.y, at.x)] = own;
    if at.y == 1 || at.y == i32(ROWS) {
        stage(at, select(1, -1, at.y == 1), 0);
    }
    if at.x == 1 || at.x == i32(COLS) {
        stage(at, 0, select(1, -1, at.x == 1));
    }
    workgroupBarrier();
    if computes(at.r, at.c) {
        put(index_of(at.r, at.c), star_around(at, own));
    }
}
