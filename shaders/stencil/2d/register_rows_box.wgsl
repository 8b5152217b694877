// register-rows, 9 points: the rows in registers of the 5-point kernel, each with the sums of its cells' neighbours.
//
//     north     n  and  w + e of it          new = c · own + s · (n + s + sides) + d · (north's sides + south's sides)
//     centre    own and sides, w + e
//     south     s  and  w + e of it          One step down: north = centre, centre = south, the next south is loaded.
//
// What it changes over the 5-point kernel (2d/register_rows.wgsl): a diagonal neighbour is the neighbour to the west or to the east of the row above
// or below. So each row's w + e is summed when the row is loaded, and serves three rows: its own cells as sides, the cells above and below as
// diagonals. Loading a row still takes a vector and two words. Only the first row and the last need their two words as well: with ROWS_PER_INVOCATION
// = 2 that is 12 loads for 8 cells, 1.5 a cell, where direct-global has nine.
//
//   * The arithmetic: five additions and three products per cell, on vectors.
//   * Rows are processed in pairs, as there: the loads of both rows come before the first store.
//   * For rows whose length is not a multiple of four, a pack is one cell (lanes/four.wgsl).
//
// Beyond the thesis, which has no 9-point stencil. Today: it moves as many bytes as with 5 points, so expect
// the same number of cells per second wherever the memory is the limit.
#import stencil/shared/border
#import stencil/lanes/*
#import stencil/shared/rows
#import stencil/shared/right_hand_side
#import stencil/shared/box9
#import stencil/shared/register_entry
#import stencil/shared/blocks2d

fn load_cells(r: i32, cols: Cols) -> Row { return row_of(load_row(0u, r, cols)); }

fn put_row(k: Weights, r: i32, c: i32, north: Row, centre: Row, south: Row) {
    let sum = box(k, centre.own, (north.own + south.own) + centre.sides, north.sides + south.sides);
    put_pack(index_of(r, c), c, with_added(sum, centre.added));
}

// Computes the rows from `begin` up to, not including, `end`, in the columns of the pack at `c`.
fn kernel(c: i32, begin: i32, end: i32) {
    let k = weights();
    let cols = Cols(c, col_at(c - 1), col_at(c + LANES));
    var north = load_cells(begin - 1, cols);
    var centre = load_cells(begin, cols);
    var r = begin;
    for (; r + 1 < end; r += 2) {
        let south = load_cells(r + 1, cols);
        let south2 = load_cells(r + 2, cols);
        put_row(k, r, c, north, centre, south);
        put_row(k, r + 1, c, centre, south, south2);
        north = south;
        centre = south2;
    }
    if r < end {
        put_row(k, r, c, north, centre, load_cells(r + 1, cols));
    }
}
