// plane-sums, 27 and 7 points: an invocation sweeps through the planes with a strip of cells and two sums per cell.
//
// This kernel uses common subexpressions to the full. Let s0 be the centre of a plane, s1 the sum of the four cells around it and s2 the sum of the
// four diagonal ones. A plane contributes to the output in it, and to the outputs below and above,
//
//     here   = α s0 + β s1 + γ s2          output(p) = beside(p - 1) + here(p) + beside(p + 1)
//     beside = β s0 + γ s1 + δ s2
//
// So each plane is read once. When plane p + 1 is loaded, output(p) lacks only its `beside`, which is added before the output is written. One sum in
// progress and one `beside` are carried on: two registers per cell, where three planes of s0, s1, s2 would take nine, and where the tile of
// sol-unroll8-cse is read eleven times.
//
// With 7 points (`star`) only the six faces count: `here` is α s0 + β s1 and `beside` is β s0. The sweep stays the same, with fewer sums; a compiler
// removes the loads before and after a pack in the two rows beside the strip. There β s0 is multiplied where it is added, by `fma`. Were it a product
// that is carried on, a compiler would fuse it with the addition in a sweep's first plane, but not around the loop: a cell would then have other bits
// where a sweep begins, and a grid cut in two other bits than the whole.
//
// The rest is as in register-rows. A pack has four cells of a row, if the length of rows allows it. A row of a pack takes one vector and two words
// (the cells before and after). Rows are shared as well: w + e of a row is part of s1 for its own cells, and of s2 for the neighbouring rows. A strip
// of 2 packs, one below the other, takes 4 rows of loads: 12 instructions for 8 cells, 1.5 each where direct-global has 27. A strip of 4 takes 18 for
// 16. A longer strip also rereads fewer rows of the neighbouring strips, and makes blocks taller; but it needs more registers, so fewer invocations
// fit a core. It is written out for 1, 2 or 4 (stencil/shared/strip.wgsl).
//
// A right-hand side belongs to a plane's own outputs, so it goes into `here`, and is loaded with the plane.
//
// Loads run one plane ahead: the next plane is in flight while this one is summed and written. Otherwise an
// invocation would wait for memory once per plane, with nothing to do.
//
// No workgroup memory and no barrier. A block is STRIP · ROWS rows by LANES · COLS columns by
// `layers_per_group` planes, plus the two planes beside these that are summed but not computed. Fewer planes
// per group give more groups to fill the GPU with, and a larger share of such double work: with 32, two of 34 planes loaded.
//
// What it costs: the sums are associated in another way than in the formula, so the last bits may differ from
// the variants of the thesis (but not if all sums are exact). A checked module clamps every index it forms.
//
// Beyond the thesis, whose CSE variants point here. Today: 8 bytes of traffic and some 17 operations per cell, so memory should be the limit.
// The best CUDA program measured for this project keeps plane sums too, and reached 0.76 of a copy.
#import stencil/shared/border
#import stencil/lanes/*
#import stencil/shared/rows
#import stencil/shared/strip
#import stencil/shared/weights3d
#import stencil/shared/computed
#import stencil/shared/blocks3d

@compute @workgroup_size(COLS, ROWS)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let block = block_of(workgroup);
    let c = (block.across * i32(COLS) + i32(local.x)) * LANES;
    let r = (block.down * i32(ROWS) + i32(local.y)) * STRIP;
    if c >= i32(params.cols) || r >= end_row() || block.begin >= block.end {
        return;
    }

    let k = weights();
    let cols = Cols(c, col_at(c - 1), col_at(c + LANES));
    // The first plane's `here` belongs to an output that this workgroup does not compute. The first advance drops it.
    var sum = strip_of(k, load_strip(plane_beside(block.begin - 1), r, cols));
    sum = advance_strip(k, sum, strip_of(k, load_strip(u32(block.begin), r, cols)));
    var loaded = load_strip(plane_beside(block.begin + 1), r, cols);
    for (var p = block.begin; p < block.end; p++) {
        // After the last plane that is needed, that plane is loaded once more.
        let ahead = load_strip(plane_beside(min(p + 2, block.end)), r, cols);
        let above = strip_of(k, loaded);
        put_strip(k, p, r, cols, sum, above);
        sum = advance_strip(k, sum, above);
        loaded = ahead;
    }
}
