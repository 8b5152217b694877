// The parameters of one dispatch, and other declarations that every stencil kernel shares.
//
// A grid is stored plane by plane, row by row, columns fastest: cell (p, r, c) is element (p · rows + r) · cols + c. A 2D grid has one plane. No side
// may be longer than 2^31 - 2^16 cells, and a grid has at most 2^31 cells.
#import <element>
#import lib/grid/group_index

struct Params {
    // The grid's size in cells.
    cols: u32,
    rows: u32,
    planes: u32,
    // Blocks in a row of blocks, and rows of blocks. The number of cells in a block depends on the kernel.
    blocks_across: u32,
    blocks_down: u32,
    // Planes through which one workgroup sweeps, or layers that a workgroup of a time-blocked kernel writes.
    layers_per_group: u32,
    // Workgroups in one row of the dispatched grid. Surplus blocks of the last row lie outside the grid.
    grid_row: u32,
    // The border on each side: FIXED, REFLECT, WRAP, MIRROR or CONSTANT.
    west: u32,
    east: u32,
    north: u32,
    south: u32,
    near: u32,
    far: u32,
    // Only for time-blocked kernels: the rows (2D) or planes (3D) to write, and the number of steps.
    begin: u32,
    end: u32,
    steps: u32,
}

@group(0) @binding(2) var<uniform> params: Params;
// One weight per class of cells, 27 points: α, β, γ, δ, and zeros up to four. The buffer holds all weights twice, and
// then the number 1: a time-blocked kernel reads some weights from the first copy and some from the second, and
// multiplies by the 1 (shares/star.wgsl says why). Then come the values beyond the six sides.
@group(0) @binding(3) var<storage, read> coefficients: array<Elem>;

// The outermost cells of this side are constants: read, never written.
const FIXED: u32 = 0u;
// The grid continues as its mirror image, reflected at the outer edge of the outermost cell: cell -1 is cell 0.
const REFLECT: u32 = 1u;
// The grid continues at its other end: cell -1 is the last cell.
const WRAP: u32 = 2u;
// Like REFLECT, without the outermost cell: cell -1 is cell 1. Only the general kernels know this and the next.
const MIRROR: u32 = 4u;
// Cells beyond this side have one value: see `coefficients`.
const CONSTANT: u32 = 5u;
// 3 is a side at which the grid is cut for a time-blocked kernel: it needs no cells beyond it and no special handling.

// The block shape, in invocations.
override ROWS: u32 = 8u;
override COLS: u32 = 32u;
