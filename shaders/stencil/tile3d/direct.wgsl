// The direct mapping in 3D: each layer is as in 2D (tile2d/direct.wgsl), but 27 points also need the corners of the halo. A block covers
// ROWS × COLS computed cells of every plane through which it sweeps.
#import stencil/shared/grid3d
#import stencil/shared/layers
#import stencil/shared/computed
#import stencil/shared/blocks3d

var<workgroup> tile: array<Elem, (UNROLL + 2u) * (ROWS + 2u) * (COLS + 2u)>;

fn slot(layer: u32, y: i32, x: i32) -> u32 { return (layer * (ROWS + 2u) + u32(y)) * (COLS + 2u) + u32(x); }

fn sweep_cell(block: Block, y: i32, x: i32, lid: u32) -> SweepCell {
    let r = first_row() + block.down * i32(ROWS) + y;
    let c = first_col() + block.across * i32(COLS) + x;
    return SweepCell(r, c, y + 1, x + 1, lid, computes(r, c));
}

// Loads the invocation's own cell of plane `p`, or one near it, into a layer.
fn stage_cell(at: SweepCell, p: i32, layer: u32, down: i32, right: i32) {
    tile[slot(layer, at.y + down, at.x + right)] = load(p, at.r + down, at.c + right);
}
