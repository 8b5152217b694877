// dir-fusion-diag, 5 points: one branch, taken by the invocations on the diagonal, loads the whole halo.
//
//     . N . . .      The invocation on the diagonal in row y and column x loads the cells of the halo that
//     W # . . .      lie in its row and in its column: one above, one below, one before, one after.
//     . . # . .      Every column has one invocation on the diagonal, and so has every row: between them
//     . . . # .      they load all of it, each cell once.
//
// In a block that is not square the diagonal goes on at the other side: x mod ROWS = y mod COLS. A block of 8
// × 16 has 16 such invocations, two in every row, so the columns of the halo fall to the first half only. For
// a square block that test is known to be true when the pipeline is made, and one branch is left.
//
// What it changes over dir-fusion: one condition instead of two, and it does not ask for a side. But
// max(ROWS, COLS) invocations do all the extra work, up to four loads each, while their neighbours wait.
// Worse, they are spread over all subgroups, four of 32 lanes with 8 × 32. So the rows above and below, which
// dir-smem loads with one wide access each, are now loaded a few words at a time, some by every subgroup.
//
// From the thesis, DIR_FUSION_DIAG in 2D: "one branch with another kind of condition". It does not give the
// condition; the name suggests the diagonal. In its figure 3.1 dir-fusion is mostly, and narrowly, ahead.
// Today: expect it to be the slowest of the direct variants, if any of them can be told apart: the same cache
// lines, in more pieces, by more subgroups.
#import stencil/cells/one
#import stencil/shared/grid2d
#import stencil/tile2d/direct
#import stencil/shared/star_tile
#import stencil/shared/blocks2d

fn kernel(at: TileCell) {
    let own = load(at.r, at.c);
    tile[slot(at.y, at.x)] = own;
    let y = at.y - 1;
    let x = at.x - 1;
    if x % i32(ROWS) == y % i32(COLS) {
        // If the block is longer than wide, several rows share a column, and the first of them loads its
        // ends.
        if ROWS <= COLS || x == y {
            stage(at, -at.y, 0);
            stage(at, i32(ROWS) - y, 0);
        }
        if COLS <= ROWS || x == y {
            stage(at, 0, -at.x);
            stage(at, 0, i32(COLS) - x);
        }
    }
    workgroupBarrier();
    if computes(at.r, at.c) {
        put(index_of(at.r, at.c), star_around(at, own));
    }
}
