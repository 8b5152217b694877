// The cells of a 3D grid and, if a stencil reaches one cell, those beyond its sides.
#import stencil/shared/params
#import stencil/shared/border
#import stencil/cells/one
#import stencil/shared/blocks3d

// As in 2D (grid2d.wgsl).
fn load(p: i32, r: i32, c: i32) -> Elem { return cell((plane_at(p) * params.rows + row_at(r)) * params.cols + col_at(c)); }
fn neighbour(p: i32, r: i32, c: i32) -> Elem { return cell((plane_beside(p) * params.rows + row_beside(r)) * params.cols + col_beside(c)); }
