// direct-global, any stencil in 3D: one invocation per cell of a plane, all loads from storage, nothing staged.
//
// As in 2D the stencil's own sum (points/*.wgsl) reads the cells. What follows is said of 27 points.
//
// Each output asks for nine cells of three planes. Neighbouring invocations ask for nearly the same ones, and
// the cache of the core answers all but a few: of 27 words per cell about one comes from memory. 27 load
// instructions remain, each with its address and its turn in the load unit, next to 30 operations of
// arithmetic.
//
//     5 points     5 loads for 8 bytes of traffic        the memory is nearly the bottleneck
//     27 points   27 loads for 8 bytes of traffic        the load unit is
//
// An invocation walks through `planes_per_group` planes, and keeps nothing on the way: every output is computed
// from 27 fresh loads. With planes_per_group = 1 it is the plain mapping of one invocation to one cell, no loop
// to speak of, and that is what it is meant to be run with. More planes spare nothing but the start of
// workgroups (a compiler that keeps loaded planes in registers by itself would have to prove that the stores do
// not change them).
//
// The thesis does not have this variant: its GPU caches no global memory, so that 27 loads would be 27 loads.
// Today: the bar that a tile must pass, and unlike with 5 points there is room above it. Whoever reads each
// word fewer than 27 times, from wherever, has the load unit's time to win. Expect about a third of a good
// copy's speed on a large GPU; on one whose memory is slow for its cores, the memory's speed.
#import cells
#import grid3d
#import formula

@compute @workgroup_size(COLS, ROWS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let block = block_of(workgroup);
    let r = block.down * i32(ROWS) + i32(local.y);
    let c = block.across * i32(COLS) + i32(local.x);
    if !computes(r, c) {
        return;
    }
    let k = weights();
    for (var p = block.begin; p < block.end; p++) {
        put(index_of(p, r, c), update(k, p, r, c));
    }
}
