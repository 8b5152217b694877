// register-rows, 5 points: each invocation computes four cells of a row at a time, over several rows.
//
//     north     n0 n1 n2 n3          three rows of four cells in registers. One step down: north = centre,
//     centre  w c0 c1 c2 c3 e        centre = south, and the next south is loaded. Only w and e, the cells before
//     south     s0 s1 s2 s3          and after, are loaded in addition.
//
// What it changes over direct-global: fewer and wider memory instructions. There, a cell takes five loads and a store of 4 bytes. Here, four cells
// take one load of 16 bytes, two of 4 bytes, and a store of 16 (f32), plus two rows of loads per invocation to get started. With ROWS_PER_INVOCATION
// = 4 that is 0.88 loads per cell. Even a copy kernel reaches the memory's speed only with 16 bytes per instruction: a core can have a limited number
// of accesses in flight, and bandwidth is bytes in flight divided by latency.
//
//   * w and e are in cache lines that neighbouring lanes have just loaded for their own packs. They cost an
//     instruction each and no traffic. (A shuffle could fetch them, too, but not across the ends of a subgroup.)
//   * For n rows of packs, n + 2 are loaded, not 3n. With ROWS_PER_INVOCATION = 1 nothing is kept, and the kernel
//     is the usual one of CUDA programs: three vectors and two words per four cells. More rows mean fewer
//     loads, but also fewer and longer-lived invocations, each of which waits for one row at a time.
//   * Rows are processed in pairs: both rows are loaded before the first store. For the compiler, a load after a
//     store must wait for it, because the two buffers might be one.
//   * No workgroup memory and no barrier: no invocation waits for another.
//   * Borders cost nothing inside: the position of the row above or below is computed once per row, w and e are
//     clamped or wrapped, and only a pack at a fixed side is written in parts.
//
// Packs of four cells need rows whose length is a multiple of four; otherwise packs would span two rows. Other lengths compile the same text with
// packs of one cell (lanes/four.wgsl), and the rows stay in registers.
//
// Beyond the thesis. Today: this is what "as fast as a copy" means: 8 bytes of traffic per cell and little
// else. A further gain needs several steps per sweep over memory, which is another kernel.
#import stencil/lanes/*
#import stencil/star5/*
#import stencil/shared/right_hand_side
#import stencil/shared/border
#import stencil/shared/register_entry

// Computes the rows from `begin` up to, not including, `end`, in the columns of the pack at `c`.
fn kernel(c: i32, begin: i32, end: i32) {
    let k = weights();
    let west_col = col_at(c - 1);
    let east_col = col_at(c + LANES);
    var north = pack(row_beside(begin - 1) * params.cols + u32(c));
    var centre = pack(u32(begin) * params.cols + u32(c));
    var r = begin;
    for (; r + 1 < end; r += 2) {
        let row = u32(r) * params.cols;
        let below = row + params.cols;
        let south = pack(below + u32(c));
        let south2 = pack(row_beside(r + 2) * params.cols + u32(c));
        let west = shift_from_west(cell(row + west_col), centre);
        let east = shift_from_east(centre, cell(row + east_col));
        let west_below = shift_from_west(cell(below + west_col), south);
        let east_below = shift_from_east(south, cell(below + east_col));
        let added = addend(row + u32(c));
        let added_below = addend(below + u32(c));
        put_pack(row + u32(c), c, with_added(star(k, centre, north + south, west + east), added));
        let sum_below = star(k, south, centre + south2, west_below + east_below);
        put_pack(below + u32(c), c, with_added(sum_below, added_below));
        north = south;
        centre = south2;
    }
    if r < end {
        let row = u32(r) * params.cols;
        let south = pack(row_beside(r + 1) * params.cols + u32(c));
        let west = shift_from_west(cell(row + west_col), centre);
        let east = shift_from_east(centre, cell(row + east_col));
        let sum = star(k, centre, north + south, west + east);
        put_pack(row + u32(c), c, with_added(sum, addend(row + u32(c))));
    }
}
