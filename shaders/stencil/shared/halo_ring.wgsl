// The halo of one layer by a single branch: the first invocations of the workgroup take its cells in order.
//
//      0   1  ...  COLS   COLS + 1           The row above and the row below with all four corners, then the
//      #                     #               columns. Which cell an invocation gets follows from its index, by
//      #                     #               selection. Neighbouring lanes get neighbouring cells of the rows,
//     COLS + 2     ...  2 COLS + 3           so each row is a wide access or two.

fn stage_ring_cell(at: Place, p: i32, layer: u32, k: u32) {
    let width = COLS + 2u;
    let ends = 2u * width;
    // Inside the columns: which row, and which side.
    let nth = k - ends;
    let in_row = k < ends;
    let lower = k >= width;
    let y = select(i32(nth >> 1u) + 1, select(0, i32(ROWS) + 1, lower), in_row);
    let x = select(i32((nth & 1u) * (COLS + 1u)), i32(select(k, k - width, lower)), in_row);
    stage_cell(at, p, layer, y - at.y, x - at.x);
}

fn stage_ring(at: Place, p: i32, layer: u32) {
    let ring = 2u * (COLS + 2u) + 2u * ROWS;
    if at.lid < ring {
        stage_ring_cell(at, p, layer, at.lid);
    }
    // A small block has more halo than invocations. Known when the pipeline is made, so mostly not there.
    if ring > ROWS * COLS {
        for (var k = at.lid + ROWS * COLS; k < ring; k += ROWS * COLS) {
            stage_ring_cell(at, p, layer, k);
        }
    }
}
