// Any stencil: cells at any distance from the new one. Rust writes out the sum from the stencil's classes
// (src/stencil/formula.rs: `Weights`, `weights` and `update`); here is how it reads a cell.
//
//     position     -3  -2  -1 | 0   1   2  ...  n-1 | n   n+1
//     reflect       2   1   0 | 0   1   2       n-1 | n-1 n-2      the image begins with the cell at the side
//     mirror        3   2   1 | 0   1   2       n-1 | n-2 n-3      the image leaves it out
//     wrap        n-3 n-2 n-1 | 0   1   2       n-1 | 0   1
//     constant      C   C   C | 0   1   2       n-1 | C   C        beyond a corner the value of the columns' side, then the rows'
//
// A position beyond a side is brought inside, direction by direction. If the grid is shorter than the stencil reaches,
// it may then lie beyond the other side, so this goes on until it is inside. A computed cell reaches no position
// beyond a fixed side.
#import params
#import cells
#import reach
#import classes

#ifdef fixed_borders
fn place(i: i32, count: u32, low: u32, high: u32, side: i32) -> i32 {
    return i;
}
#else
// The distance from a side to its inner cell that stands for one `beyond` cells past the first outside.
fn inward(beyond: i32, n: i32, side: u32) -> i32 {
    // A single cell is its own mirror image.
    let image = select(beyond, select(beyond + 1, 0, n == 1), side == MIRROR);
    return select(image, n - 1 - beyond, side == WRAP);
}

// The position inside that stands for one, or beyond a constant -1 less the number of the side. `side` is that of `low`.
fn place(i: i32, count: u32, low: u32, high: u32, side: i32) -> i32 {
    let n = i32(count);
    var at = i;
    // Each turn brings it nearer.
    for (var turn = 0; turn <= REACH && (at < 0 || at >= n); turn++) {
        if at < 0 {
            if low == CONSTANT {
                return -1 - side;
            }
            at = inward(-1 - at, n, low);
        } else {
            if high == CONSTANT {
                return -2 - side;
            }
            at = n - 1 - inward(at - n, n, high);
        }
    }
    return at;
}
#endif

fn col_place(c: i32) -> i32 {
    return place(c, params.cols, params.west, params.east, 0);
}

fn row_place(r: i32) -> i32 {
    return place(r, params.rows, params.north, params.south, 2);
}

fn plane_place(p: i32) -> i32 {
    return place(p, params.planes, params.near, params.far, 4);
}

// The cell at these places.
fn reached(plane: i32, row: i32, col: i32) -> Elem {
#ifndef fixed_borders
    let side = select(select(plane, row, row < 0), col, col < 0);
    if side < 0 {
        return coefficients[CONSTANTS + u32(-1 - side)];
    }
#endif
    return cell((u32(plane) * params.rows + u32(row)) * params.cols + u32(col));
}
