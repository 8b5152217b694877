// plane-sums, 27 and 7 points: an invocation walks through the planes with a strip of cells, two sums for each.
//
// Common subexpressions taken to their end. With s0 the centre of a plane, s1 the sum of the four cells around
// it and s2 the sum of the four diagonal ones, a plane gives to the output in it, and to the outputs below and
// above,
//
//     here   = α s0 + β s1 + γ s2          output(p) = beside(p - 1) + here(p) + beside(p + 1)
//     beside = β s0 + γ s1 + δ s2
//
// So a plane is looked at once. When plane p + 1 comes, output(p) lacks its `beside` alone; it is added and
// written, and what is carried on is one sum in progress and one `beside`: two registers a cell, where three
// planes of s0, s1, s2 would be nine, and where the tile of sol-unroll8-cse is read eleven times.
//
// Of 7 points (`star`) only the six faces count: `here` is α s0 + β s1 and `beside` is β s0. The same sweep, with fewer
// sums; a compiler drops the loads before and behind a pack in the two rows beside the strip.
//
// The rest is as in register-rows. A pack of four cells in a row, where the length of rows allows it. One
// vector and two words (the cells before and behind) for a row of packs, and rows are shared as well: w + e of
// a row is part of s1 for its own cells and of s2 for the rows beside it. A strip of 2 packs, one below the
// other, takes 4 rows of loads: 12 instructions for 8 cells, 1.5 each where direct-global has 27. A strip of 4
// takes 18 for 16. A longer strip also rereads fewer rows of the neighbouring strips, and blocks are taller by
// as much; but it needs more registers, so fewer invocations fit a core. The composer chooses 1, 2 or 4
// (shared/strip.wgsl).
//
// A right-hand side belongs to a plane's own outputs, so it goes into `here`, and is loaded with the plane.
//
// Loads run one plane ahead: the next plane is on its way while this one is summed and written. Without that an
// invocation would wait for memory once a plane with nothing to do.
//
// No workgroup memory and no barrier. A block is STRIP · ROWS rows by LANES · COLS columns by
// `planes_per_group` planes, plus the two planes beside these that are summed but not computed. Fewer planes
// per group give more groups to fill the GPU with, and a larger share of such double work: with 32, two of 34
// planes loaded.
//
// What it costs: the sums are associated in another way than in the formula, so the last bits differ from the
// variants of the thesis (never where all sums are exact). A checked module clamps every index it forms.
//
// Beyond the thesis, whose CSE variants point here. Today: 8 bytes of traffic and some 17 operations a cell, in
// vectors and without waiting for anybody: it should be limited by the memory, not by the load unit. The best
// CUDA program measured for this project keeps plane sums too, and reached 0.76 of a copy.
#import grid3d
#import rows
#import strip

// What a plane gives to its own outputs, and to those in the planes below and above.
// Or, for outputs in progress: the sum so far, and what the newest plane will give to the next.
struct Shares {
    here: Pack,
    beside: Pack,
}

fn shares_of(k: Weights, north: Row, row: Row, south: Row) -> Shares {
    let around = (north.own + south.own) + row.sides;
#ifdef star
    let here = k.centre * row.own + k.face * around;
    let beside = k.face * row.own;
#else
    let diagonal = north.sides + south.sides;
    let here = k.centre * row.own + k.face * around + k.edge * diagonal;
    let beside = k.face * row.own + k.edge * around + k.corner * diagonal;
#endif
#ifdef rhs
    return Shares(here + row.added, beside);
#else
    return Shares(here, beside);
#endif
}

fn advance(sum: Shares, next: Shares) -> Shares {
    return Shares(sum.beside + next.here, next.beside);
}

fn put_row(p: i32, r: i32, cols: Cols, sum: Shares, above: Shares) {
    if first_row() <= r && r < end_row() {
        put_pack(index_of(p, r, cols.own), cols.own, sum.here + above.beside);
    }
}

@compute @workgroup_size(COLS, ROWS)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
) {
    let block = block_of(workgroup);
    let c = (block.across * i32(COLS) + i32(local.x)) * LANES;
    let r = (block.down * i32(ROWS) + i32(local.y)) * STRIP;
    if c >= i32(params.cols) || r >= end_row() || block.begin >= block.end {
        return;
    }

    let k = weights();
    let cols = Cols(c, col_at(c - 1), col_at(c + LANES));
    // The first plane's `here` belongs to an output that is not computed here, and is dropped with the first
    // advance.
    var sum = strip_of(k, load_strip(plane_beside(block.begin - 1), r, cols));
    sum = advance_strip(sum, strip_of(k, load_strip(u32(block.begin), r, cols)));
    var loaded = load_strip(plane_beside(block.begin + 1), r, cols);
    for (var p = block.begin; p < block.end; p++) {
        // Behind the last plane that is needed, it is loaded once more.
        let ahead = load_strip(plane_beside(min(p + 2, block.end)), r, cols);
        let above = strip_of(k, loaded);
        put_strip(p, r, cols, sum, above);
        sum = advance_strip(sum, above);
        loaded = ahead;
    }
}
