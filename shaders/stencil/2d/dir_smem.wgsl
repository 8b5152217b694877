// dir-smem, 5 points: a tile with a halo in workgroup memory; four branches load the halo.
//
// The direct mapping (tile2d/direct.wgsl): each invocation computes one cell, which it loads into the tile.
// Invocations at the block's sides load a second cell, the one beyond the side, which belongs to the halo;
// there is one branch per side (shared/halo_sides.wgsl). After a barrier all invocations compute from the
// tile only.
//
// What it changes over direct-global: a word is loaded once per block instead of up to five times. Only the
// halo is loaded more than once: (ROWS · COLS + 2 · ROWS + 2 · COLS) loads for ROWS · COLS cells, 1.31 each
// with 8 × 32 and 1.38 with 8 × 16. The other four reads go to workgroup memory.
//
// What is wrong with it: the branches. A subgroup with one lane at the western side goes through that branch
// with all lanes, and loads one word where it could load 32. With rows of 32 lanes every subgroup passes both
// the west and the east branch, and the cache lines these touch bring one useful word in 128 bytes. And all
// lanes wait at a barrier for the slowest of these loads. Per cell, about 1.3 words are written to workgroup
// memory and five read back.
//
// From the thesis, DIR_SMEM in 2D, its starting point. Figure 3.1 shows it among the direct variants, but no
// number is printed. The best direct variant, dir-fusion with 8 × 16, took 19.97 s for 1500 steps over 256
// MiB.
// Today: the cache already does the tile's work. At one step and a reach of one cell, staging, branches and
// barrier are added on top of it; expect direct-global or better, where the first-level cache is large, and
// less where the barrier leaves too few loads in flight. A tile pays when a value is used more than five
// times, or over several steps.
#import stencil/cells/one
#import stencil/tile2d/direct
#import stencil/shared/star_tile
#import stencil/shared/halo_sides
#import stencil/shared/blocks2d

fn kernel(at: TileCell) {
    stage(at, 0, 0);
    stage_halo(at);
    workgroupBarrier();
    if computes(at.r, at.c) {
        put(index_of(at.r, at.c), star_around(at, tile[slot(at.y, at.x)]));
    }
}
