// The overlapped mapping in 3D: each layer is as in 2D (tile2d/overlapped.wgsl), including the corners. A block covers (ROWS - 2) ×
// (COLS - 2) computed cells of every plane through which it sweeps. ROWS and COLS must be at least 3.
#import stencil/shared/grid3d
#import stencil/shared/layers
#import stencil/shared/computed
#import stencil/shared/blocks3d

var<workgroup> tile: array<Elem, (UNROLL + 2u) * ROWS * COLS>;

fn slot(layer: u32, y: i32, x: i32) -> u32 { return (layer * ROWS + u32(y)) * COLS + u32(x); }

fn sweep_cell(block: Block, y: i32, x: i32, lid: u32) -> SweepCell {
    let r = first_row() - 1 + block.down * (i32(ROWS) - 2) + y;
    let c = first_col() - 1 + block.across * (i32(COLS) - 2) + x;
    let rim = y == 0 || y == i32(ROWS) - 1 || x == 0 || x == i32(COLS) - 1;
    return SweepCell(r, c, y, x, lid, !rim && computes(r, c));
}

fn stage(at: SweepCell, p: i32, layer: u32) { tile[slot(layer, at.y, at.x)] = load(p, at.r, at.c); }
