// apart: adds each pair to its group's state in storage. For more groups than tables hold, and for drivers that miscount in workgroup memory.
//
// Reads each pair once. Writes states:
//
//     id 2, value 1.5      state of 2:  count + 1    two limbs of the sum    least, most
//
// Cost: several atomic additions to storage per pair. Each moves a cache sector.
#import lib/grid/entry
#import group/shared/io
#import group/shared/integers
#import group/shared/pairs
#import group/shared/states

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.shares {
        return;
    }
    var rejected = 0u;
    for (var step = 0u; step < params.steps; step++) {
        var four = with_ids(load((step * params.shares + wg.index) * WG + at.lid));
        rejected += out_of_range(four);
        for (var i = 0u; i < 4u; i++) {
            add_pair(four.id.x, four.bits.x);
            four = turned(four);
        }
    }
    add_rejected(rejected);
}
