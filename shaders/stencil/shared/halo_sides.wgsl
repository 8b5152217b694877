// The halo of a 2D tile by four branches, one for each side, each with one comparison.
//
// An invocation at a side of the block loads the cell beyond it. In a subgroup of 32 with blocks 16 or 32
// wide, the branches for north and south are taken by a whole row of lanes or by none, and cost little. Those
// for west and east are taken by one or two lanes of every subgroup, and every subgroup executes both.
#import stencil/tile2d/direct

fn stage_halo(at: TileCell) {
    if at.y == 1 {
        stage(at, -1, 0);
    }
    if at.y == i32(ROWS) {
        stage(at, 1, 0);
    }
    if at.x == 1 {
        stage(at, 0, -1);
    }
    if at.x == i32(COLS) {
        stage(at, 0, 1);
    }
}
