// All sides are fixed: the outermost cells are constants, read and never written.
//
// Then whatever a computed cell asks for lies in the grid, and no border needs handling. What is left is to
// keep blocks that stick out of the grid from reading outside: the `_at` functions take any position and stay
// inside, the `_beside` functions take a neighbour of a computed cell and do nothing.
//
// A grid of one or two cells in some direction consists of border: nothing is computed.

// The cells from `first` up to, not including, `end` are computed.
fn first_col() -> i32 {
    return 1;
}

fn end_col() -> i32 {
    return i32(params.cols) - 1;
}

fn first_row() -> i32 {
    return 1;
}

fn end_row() -> i32 {
    return i32(params.rows) - 1;
}

fn first_plane() -> i32 {
    return 1;
}

fn end_plane() -> i32 {
    return i32(params.planes) - 1;
}

fn inside(i: i32, count: u32) -> u32 {
    return u32(clamp(i, 0, i32(count) - 1));
}

fn col_at(c: i32) -> u32 {
    return inside(c, params.cols);
}

fn row_at(r: i32) -> u32 {
    return inside(r, params.rows);
}

fn plane_at(p: i32) -> u32 {
    return inside(p, params.planes);
}

fn col_beside(c: i32) -> u32 {
    return u32(c);
}

fn row_beside(r: i32) -> u32 {
    return u32(r);
}

fn plane_beside(p: i32) -> u32 {
    return u32(p);
}
