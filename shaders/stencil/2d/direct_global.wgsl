// direct-global, any stencil in 2D: one invocation per cell, all loads from storage, nothing staged.
//
// The stencil's own sum (points/*.wgsl) reads its cells one after the other. A new stencil needs only this
// sum to run here and in 3D. The rest of this essay is about five points.
//
//              n
//           w  #  e       five loads, four additions, one multiplication, one store
//              s
//
// Five loads read five words, but memory delivers about one: the neighbours to the north and south read the same rows, the subgroup itself reads
// its row shifted by one, and the core's cache serves both. The cache replaces the tile, its copy, its barrier and its halo.
//
// The thesis does not have this variant, and in 2011 it had no use for one: its GTX 295 (compute capability
// 1.3) does not cache reads of global memory at all. There, five loads are five loads. Since GPUs cache them
// (and the more, the larger the first-level cache grew), this has become what a tile must beat.
//
// What it lacks: economy. Each cell costs five load instructions, each with its own address, and four bytes
// are in flight per useful load. Moving 8 bytes per cell (one word in, one out) at the speed of a copy takes
// more than that: a copy itself is slow with one word per invocation (register-rows).
//
// Blocks are laid out over all cells, so rows of a block begin at multiples of COLS, and the invocations on a
// fixed border have nothing to do. Expect about half the speed of a good copy kernel on a large GPU, more
// where the memory is slow in comparison with the cores, and about the same for any block shape with COLS of
// 32 or more.
#import stencil/cells/one
#import stencil/shared/blocks2d
#import stencil/points/*

@compute @workgroup_size(COLS, ROWS)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let block = block_of(workgroup);
    let r = block.down * i32(ROWS) + i32(local.y);
    let c = block.across * i32(COLS) + i32(local.x);
    if computes(r, c) {
        put(index_of(r, c), update(weights(), r, c));
    }
}
