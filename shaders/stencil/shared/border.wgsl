// The borders of the grid, for stencils that reach one cell. Each side is fixed, reflects or wraps around.
//
//     position          -1     0     1   ...  n-2   n-1     n
//     fixed                   const  the cells at the side are never computed, and nothing beyond them is read
//     reflect            0     0     1   ...  n-2   n-1   n-1      no flow through the side (Neumann)
//     wrap              n-1    0     1   ...  n-2   n-1    0       a ring; in two directions, a torus
//
// Reflection is at the outer edge of the outermost cell, so for a stencil that reaches one cell it is clamping. Directions are independent:
// a cell beyond a corner (which 27 points need) follows from the two or three sides that meet there.
//
// The `_at` functions take any position, also of blocks that extend beyond the grid: past `n` they return an arbitrary cell, which is not
// used. The `_beside` functions take a neighbour of a computed cell. If all sides are fixed (`fixed_borders`), it is in the grid.
#import stencil/shared/params
#import stencil/shared/computed

#ifdef fixed_borders
fn inside(i: i32, count: u32, low_side: u32, high_side: u32) -> u32 { return u32(clamp(i, 0, i32(count) - 1)); }
fn neighbour_at(i: i32, count: u32, low_side: u32, high_side: u32) -> u32 { return u32(i); }
#else
fn inside(i: i32, count: u32, low_side: u32, high_side: u32) -> u32 {
    let last = i32(count) - 1;
    let before = select(0, last, low_side == WRAP);
    let after = select(last, 0, high_side == WRAP);
    return u32(select(select(i, after, i > last), before, i < 0));
}

fn neighbour_at(i: i32, count: u32, low_side: u32, high_side: u32) -> u32 { return inside(i, count, low_side, high_side); }
#endif

fn col_at(c: i32) -> u32 { return inside(c, params.cols, params.west, params.east); }
fn row_at(r: i32) -> u32 { return inside(r, params.rows, params.north, params.south); }
fn plane_at(p: i32) -> u32 { return inside(p, params.planes, params.near, params.far); }
fn col_beside(c: i32) -> u32 { return neighbour_at(c, params.cols, params.west, params.east); }
fn row_beside(r: i32) -> u32 { return neighbour_at(r, params.rows, params.north, params.south); }
fn plane_beside(p: i32) -> u32 { return neighbour_at(p, params.planes, params.near, params.far); }
