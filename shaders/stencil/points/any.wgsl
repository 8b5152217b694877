// Any stencil: cells at any distance from the new one. Rust writes out the sum from the stencil's classes
// (src/stencil/formula.rs: `Weights`, `weights` and `update`); here is how it reads a cell.
//
//     position     -3  -2  -1 | 0   1   2  ...  n-1 | n   n+1
//     reflect       2   1   0 | 0   1   2       n-1 | n-1 n-2      the image begins with the cell at the side
//     mirror        3   2   1 | 0   1   2       n-1 | n-2 n-3      the image leaves it out
//     wrap        n-3 n-2 n-1 | 0   1   2       n-1 | 0   1
//     constant      C   C   C | 0   1   2       n-1 | C   C        beyond a corner the value of the columns' side, then the rows'
//
// A position beyond a side is brought inside, direction by direction; in a grid shorter than the reach it may then lie beyond the other side,
// so this repeats. A computed cell reaches no position beyond a fixed side.
#import stencil/shared/params
#import stencil/cells/one
#import <stencil>

#ifdef fixed_borders
alias Position = i32;

fn place(i: i32, count: u32, low: u32, high: u32, constants: u32) -> Position { return i; }
fn reached(plane: Position, row: Position, col: Position) -> Elem { return cell((u32(plane) * params.rows + u32(row)) * params.cols + u32(col)); }
#else
// A position in one direction that stands for another. Beyond a constant, cells have this value.
struct Position {
    at: i32,
    is_beyond: bool,
    value: Elem,
}

// The distance from a side to its inner cell that stands for one `beyond` cells past the first outside.
fn inward(beyond: i32, n: i32, side: u32) -> i32 {
    // A single cell is its own mirror image.
    let image = select(beyond, select(beyond + 1, 0, n == 1), side == MIRROR);
    return select(image, n - 1 - beyond, side == WRAP);
}

// The position that stands for `i` between two sides. `constants` is the index of the value beyond the first.
fn place(i: i32, count: u32, low: u32, high: u32, constants: u32) -> Position {
    let n = i32(count);
    var at = i;
    // Each turn brings it nearer.
    for (var turn = 0; turn <= REACH && (at < 0 || at >= n); turn++) {
        if at < 0 {
            if low == CONSTANT {
                return Position(0, true, coefficients[constants]);
            }
            at = inward(-1 - at, n, low);
        } else {
            if high == CONSTANT {
                return Position(0, true, coefficients[constants + 1]);
            }
            at = n - 1 - inward(at - n, n, high);
        }
    }
    return Position(at, false, Elem());
}

// The cell at these positions. With a branch here SwiftShader would take twice as long to compile for every point.
fn reached(plane: Position, row: Position, col: Position) -> Elem {
    let inside = cell((u32(plane.at) * params.rows + u32(row.at)) * params.cols + u32(col.at));
    let beyond = select(select(inside, plane.value, plane.is_beyond), row.value, row.is_beyond);
    return select(beyond, col.value, col.is_beyond);
}
#endif

fn col_place(c: i32) -> Position { return place(c, params.cols, params.west, params.east, CONSTANTS); }
fn row_place(r: i32) -> Position { return place(r, params.rows, params.north, params.south, CONSTANTS + 2); }
fn plane_place(p: i32) -> Position { return place(p, params.planes, params.near, params.far, CONSTANTS + 4); }
