// The halo of one layer by a single branch: the first invocations of the workgroup take its cells in order.
//
//      0   1  ...  COLS   COLS + 1           First the row above and the row below with all four corners, then
//      #                     #               the columns. An invocation selects its cell by its index. Neighbouring
//      #                     #               lanes get neighbouring cells of the rows, so each row takes one or two
//     COLS + 2     ...  2 COLS + 3           wide accesses.
#import stencil/tile3d/direct

fn stage_ring_cell(at: SweepCell, p: i32, layer: u32, k: u32) {
    let width = COLS + 2u;
    let ends = 2u * width;
    // In the columns: the row and the side.
    let nth = k - ends;
    let in_row = k < ends;
    let lower = k >= width;
    let y = select(i32(nth >> 1u) + 1, select(0, i32(ROWS) + 1, lower), in_row);
    let x = select(i32((nth & 1u) * (COLS + 1u)), i32(select(k, k - width, lower)), in_row);
    stage_cell(at, p, layer, y - at.y, x - at.x);
}

// Loads the invocation's own cell, and the halo.
fn stage(at: SweepCell, p: i32, layer: u32) {
    stage_cell(at, p, layer, 0, 0);
    let ring = 2u * (COLS + 2u) + 2u * ROWS;
    if at.lid < ring {
        stage_ring_cell(at, p, layer, at.lid);
    }
    // A small block has more halo cells than invocations. Most pipelines do not contain this branch: the condition is constant.
    if ring > ROWS * COLS {
        for (var k = at.lid + ROWS * COLS; k < ring; k += ROWS * COLS) {
            stage_ring_cell(at, p, layer, k);
        }
    }
}
