// The cells of a 2D grid and, if a stencil reaches one cell, those beyond its sides.
#import stencil/shared/params
#import stencil/shared/border
#import stencil/cells/one
#import stencil/shared/blocks2d

// The cell at (r, c), for any position. Beyond a side, the border determines the value.
fn load(r: i32, c: i32) -> Elem { return cell(row_at(r) * params.cols + col_at(c)); }

// The cell at (r, c), a computed cell or a neighbour of one. With fixed sides this needs no checks.
fn neighbour(r: i32, c: i32) -> Elem { return cell(row_beside(r) * params.cols + col_beside(c)); }
