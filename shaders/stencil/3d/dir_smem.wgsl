// dir-smem, 27 points: a workgroup sweeps through the planes, with three of them in a tile; simple branches
// load the halo.
//
// Workgroups are two-dimensional, and so is the tile; the third dimension is a loop
// (shared/plane_sweep.wgsl). The tile keeps the plane below, the current plane and the plane above. Each
// iteration loads the next plane over the one that is no longer needed, and computes one plane from 27 reads
// of the tile. A halo around each plane is loaded by the invocations at the block's sides: four branches with
// one comparison each, and four more for the corners, which 27 points need and five do not.
//
// What it changes over direct-global: loads from storage. (ROWS + 2) · (COLS + 2) words for ROWS · COLS
// cells, 1.33 each with 8 × 32 and 1.41 with 8 × 16, instead of 27. But the 27 reads are still there: they go
// to workgroup memory. Where that is a part of the first-level cache, and it is on most GPUs, it is not much
// faster per read than the cache is.
//
// What is wrong with it: eight branches per plane, most of them for a lane or two. Two barriers per plane,
// with a single load per invocation in flight between them: the whole workgroup waits once per plane for the
// latency of memory. 1.4 words written and 27 read per cell.
//
// From the thesis, DIR_SMEM in 3D, the start of its figure 3.4; no number is printed. It does not say how it
// loads the corners. There a workgroup sweeps through all planes; here it sweeps through `layers_per_group`
// of them, so that a grid of few blocks fills a large GPU. Each such piece loads two more planes than it
// computes.
// Today: expect it to be slower than direct-global where caches are large. A tile that is read 27 times per
// cell saves little.
#import stencil/cells/one
#import stencil/tile3d/direct
#import stencil/shared/plane_sweep

fn stage(at: SweepCell, p: i32, layer: u32) {
    stage_cell(at, p, layer, 0, 0);
    if at.y == 1 {
        stage_cell(at, p, layer, -1, 0);
    }
    if at.y == i32(ROWS) {
        stage_cell(at, p, layer, 1, 0);
    }
    if at.x == 1 {
        stage_cell(at, p, layer, 0, -1);
    }
    if at.x == i32(COLS) {
        stage_cell(at, p, layer, 0, 1);
    }
    if at.y == 1 && at.x == 1 {
        stage_cell(at, p, layer, -1, -1);
    }
    if at.y == 1 && at.x == i32(COLS) {
        stage_cell(at, p, layer, -1, 1);
    }
    if at.y == i32(ROWS) && at.x == 1 {
        stage_cell(at, p, layer, 1, -1);
    }
    if at.y == i32(ROWS) && at.x == i32(COLS) {
        stage_cell(at, p, layer, 1, 1);
    }
}
