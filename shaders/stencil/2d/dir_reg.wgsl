// dir-reg, 5 points: dir-smem, with the invocation's own cell kept in a register as well.
//
// The value that an invocation brings from storage goes into the tile, because four neighbours want it, and
// stays at hand for the invocation itself. Nothing else changes: the same tile, halo, branches and barrier.
//
// What it changes over dir-smem: four reads of workgroup memory per cell instead of five; a fifth of the reads,
// or a sixth of all traffic there (1.3 words written, five or four read).
//
// What is still wrong: everything else. The kernel does not wait for workgroup memory but for storage, and for
// the branches that fetch the halo.
//
// From the thesis, DIR_REG in 2D: "always less than 5 %", not significant.
// Today: a compiler may do it by itself. The tile's slot is read after a barrier, which for all the compiler
// knows makes other invocations' writes visible, so strictly it has to read it again; hence the variant
// is still worth its line. Expect a difference that drowns in the spread of the measurement.
#import cells
#import direct2d
#import halo_sides

fn kernel(at: Place) {
    let own = load(at.r, at.c);
    tile[slot(at.y, at.x)] = own;
    stage_halo(at);
    workgroupBarrier();
    if computes(at.r, at.c) {
        put(index_of(at.r, at.c), star_around(at, own));
    }
}
