// dir-smem, 27 points: a workgroup walks the planes, three of them in a tile; simple branches load the halo.
//
// Thread blocks are two-dimensional, so is the tile, and the third dimension is a loop (shared/plane_sweep.wgsl). The
// tile keeps the planes below, here and above. Each round loads the next plane over the one no longer needed,
// and computes one plane from 27 reads of the tile. A halo around each plane is loaded by the invocations at
// the block's sides: four branches with one comparison each, and four more for the corners, which 27 points
// need and five do not.
//
// What it changes over direct-global: loads from storage. (ROWS + 2) · (COLS + 2) words for ROWS · COLS cells,
// 1.33 each with 8 × 32 and 1.41 with 8 × 16, instead of 27. But the 27 reads are still there: they go to
// workgroup memory. Where that is a part of the first-level cache, and it is on most GPUs, it is not much
// faster per read than the cache is.
//
// What is wrong with it: eight branches per plane, most of them for a lane or two. Two barriers per plane, with
// a single load per invocation in flight between them: the whole workgroup waits once per plane for the latency
// of memory. 1.4 words written and 27 read per cell.
//
// From the thesis, DIR_SMEM in 3D, the start of its figure 3.4; no figure in print. How it loads the corners it
// does not say. A workgroup there walks through all planes; here through `planes_per_group` of them, so that a
// grid of few blocks fills a large GPU. Each such piece loads two planes more than it computes.
// Today: expect it behind direct-global where caches are large. A tile read 27 times per cell spares little.
#import cells
#import direct3d
#import outputs

fn stage(at: Place, p: i32, layer: u32) {
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
