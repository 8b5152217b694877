// direct-global, any stencil in 3D: one invocation per cell of a plane, all loads from storage, nothing
// staged.
//
// As in 2D the stencil's own sum (points/*.wgsl) reads the cells. The rest of this essay is about 27 points.
//
// Each output reads nine cells of three planes. Neighbouring invocations read nearly the same cells, and the
// cache of the core serves all but a few: of 27 words per cell about one comes from memory. 27 load
// instructions remain, each with its address and its slot in the load unit, in addition to 30 operations of
// arithmetic.
//
//     5 points     5 loads for 8 bytes of traffic        the memory is nearly the bottleneck
//     27 points   27 loads for 8 bytes of traffic        the load unit is
//
// An invocation sweeps through `layers_per_group` planes, and keeps nothing from one to the next: every
// output takes 27 new loads. With layers_per_group = 1, which is the intended value, it is the plain mapping
// of one invocation to one cell, without a loop. More planes only save the start of workgroups (a compiler
// that kept loaded planes in registers by itself would have to prove that the stores do not change them).
//
// The thesis does not have this variant: its GPU caches no global memory, so that 27 loads would be 27 loads.
// Today: the baseline that a tile must beat, and unlike with 5 points there is room for improvement. A kernel
// that reads each word fewer than 27 times, from any memory, saves time in the load unit. Expect about a
// third of a good copy's speed on a large GPU; on one whose memory is slow for its cores, the memory's speed.
#import stencil/cells/one
#import stencil/shared/blocks3d
#import stencil/points/*

@compute @workgroup_size(COLS, ROWS)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
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
