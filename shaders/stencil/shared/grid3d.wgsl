// The cells of a 3D grid and, if a stencil reaches one cell, those beyond its sides.
#import params
#import border
#import cells
#import blocks3d

// The cell at (p, r, c), for any position. Beyond a side, the border determines the value.
fn load(p: i32, r: i32, c: i32) -> Elem {
    return cell((plane_at(p) * params.rows + row_at(r)) * params.cols + col_at(c));
}

// The cell at (p, r, c), which must be a computed cell or a neighbour of one. With fixed sides this needs no
// checks.
fn neighbour(p: i32, r: i32, c: i32) -> Elem {
    return cell((plane_beside(p) * params.rows + row_beside(r)) * params.cols + col_beside(c));
}
