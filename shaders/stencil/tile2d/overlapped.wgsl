// The overlapped mapping: one invocation for every cell of the tile, including the halo.
//
//                x = 0   1  ...  COLS - 1
//     y = 0        o     o   o   o   o            o: loads its cell, and computes nothing
//     1            o     #   #   #   o            #: loads its cell, and computes it
//     ...          o     #   #   #   o
//     ROWS - 1     o     o   o   o   o
//
// A block covers (ROWS - 2) × (COLS - 2) computed cells, so neighbouring blocks share two rows or two columns. ROWS and COLS must be at least 3.
#import stencil/shared/tile2d
#import <kernel>
#import stencil/shared/computed
#import stencil/shared/blocks2d

var<workgroup> tile: array<Elem, ROWS * COLS>;

fn slot(y: i32, x: i32) -> u32 { return u32(y) * COLS + u32(x); }

// True if the invocation computes its cell: it is not on the tile's rim, and the cell is in the computed range.
fn works(at: TileCell) -> bool {
    let rim = at.y == 0 || at.y == i32(ROWS) - 1 || at.x == 0 || at.x == i32(COLS) - 1;
    return !rim && computes(at.r, at.c);
}

@compute @workgroup_size(COLS, ROWS)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let block = block_of(workgroup);
    let y = i32(local.y);
    let x = i32(local.x);
    kernel(TileCell(first_row() - 1 + block.down * (i32(ROWS) - 2) + y, first_col() - 1 + block.across * (i32(COLS) - 2) + x, y, x));
}
