// dir-fusion, 27 points: fused branches for the halo, one for rows and one for columns.
//
//     at.y == 1 || at.y == ROWS      load the row above or below
//     at.x == 1 || at.x == COLS      load the column before or after, and at a corner of the block,
//                                    where both hold, the corner of the halo
//
// The side is selected by a -1 or a +1, not by a branch. An invocation has at most one side in each
// direction, so ROWS and COLS must be at least 2.
//
// What it changes over dir-smem: three branches where there were eight, once per plane and subgroup. In 2D
// fusing saved one visit to memory out of many; here the loop repeats it for every plane, and the corners
// join in.
//
// What is still wrong: as in dir-smem, loads of one word per cache line, two barriers per plane, 27 reads of the tile per cell.
//
// From the thesis, DIR_FUSION in 3D: here the fused branches give "a significant reduction" of the time,
// unlike in 2D. No figure is printed for it.
// Today: less to gain, since a halo load mostly hits the cache: the neighbouring block loads the same cache
// line. Expect a few percent at best.
#import stencil/cells/one
#import stencil/tile3d/direct
#import stencil/shared/plane_sweep

fn stage(at: SweepCell, p: i32, layer: u32) {
    stage_cell(at, p, layer, 0, 0);
    let down = select(1, -1, at.y == 1);
    let right = select(1, -1, at.x == 1);
    let at_end = at.y == 1 || at.y == i32(ROWS);
    if at_end {
        stage_cell(at, p, layer, down, 0);
    }
    if at.x == 1 || at.x == i32(COLS) {
        stage_cell(at, p, layer, 0, right);
        if at_end {
            stage_cell(at, p, layer, down, right);
        }
    }
}
