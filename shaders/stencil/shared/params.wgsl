// The numbers of one dispatch, and what every stencil kernel shares.
//
// A grid is stored plane by plane, row by row, columns fastest: cell (p, r, c) is element (p · rows + r) · cols
// + c. A 2D grid has one plane. No side may be longer than 2^31 - 2^16 cells, and a grid has at most 2^31
// cells.
#import element

struct Params {
    // The grid's size in cells.
    cols: u32,
    rows: u32,
    planes: u32,
    // Blocks beside each other and below each other. What one block covers depends on the kernel.
    blocks_across: u32,
    blocks_down: u32,
    // Planes that one workgroup sweeps through, or rows that one of a time-blocked kernel writes.
    planes_per_group: u32,
    // Workgroups in one row of the launched grid.
    row: u32,
    // What lies beyond each side: FIXED, MIRROR or PERIODIC.
    west: u32,
    east: u32,
    north: u32,
    south: u32,
    near: u32,
    far: u32,
    // What only time-blocked kernels look at: the rows (2D) or planes (3D) to be written, and how many steps to make.
    begin: u32,
    end: u32,
    steps: u32,
}

@group(0) @binding(2) var<uniform> params: Params;
// One for each class of cells, the centre's first. 27 points: α, β, γ, δ. All four stand here twice: a time-blocked kernel
// reads some of them from here and some from there.
@group(0) @binding(3) var<storage, read> coefficients: array<Elem>;

// The outermost cells of this side are constants: read, never written.
const FIXED: u32 = 0u;
// The grid goes on as its mirror image, reflected at the outer edge of the outermost cell: cell -1 is cell 0.
const MIRROR: u32 = 1u;
// The grid goes on with its other end: cell -1 is the last one.
const PERIODIC: u32 = 2u;
// 3 is a side where the grid was cut for a time-blocked kernel: nothing beyond it is needed, and nothing is special there.

// The block shape, in invocations.
override ROWS: u32 = 8u;
override COLS: u32 = 32u;

// A grid has at most 65 535 workgroups a dimension; a larger one is folded into rows. The last row may then be
// too long: blocks past the last one lie outside of the grid, where nothing is computed.
fn group_index(id: vec3<u32>) -> u32 {
    return id.y * params.row + id.x;
}
