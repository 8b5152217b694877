// The direct mapping: one invocation for every computed cell, and a tile with a halo around it.
//
//                x = 0   1  ...  COLS  COLS + 1
//     y = 0        .     h   h   h   h   .            h: halo, loaded by a neighbouring invocation
//     1            h     #   #   #   #   h            #: a computed cell, with its own invocation
//     ...          h     #   #   #   #   h            .: a corner, which five points never read
//     ROWS         h     #   #   #   #   h
//     ROWS + 1     .     h   h   h   h   .
//
// Blocks are laid out from the first computed cell, so no invocation computes a cell of the fixed border;
// only halos contain it. A block covers ROWS × COLS computed cells.
#import stencil/shared/grid2d
#import stencil/shared/tile2d
#import <kernel>
#import stencil/shared/computed
#import stencil/shared/blocks2d

var<workgroup> tile: array<Elem, (ROWS + 2u) * (COLS + 2u)>;

fn slot(y: i32, x: i32) -> u32 { return u32(y) * (COLS + 2u) + u32(x); }

// Loads the invocation's own cell, or the one next to it, into the tile.
fn stage(at: TileCell, down: i32, right: i32) { tile[slot(at.y + down, at.x + right)] = load(at.r + down, at.c + right); }

@compute @workgroup_size(COLS, ROWS)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let block = block_of(workgroup);
    let y = i32(local.y);
    let x = i32(local.x);
    kernel(TileCell(first_row() + block.down * i32(ROWS) + y, first_col() + block.across * i32(COLS) + x, y + 1, x + 1));
}
