// reduce: a state for each tile, its items combined.
//
// The first of three dispatches. A prefix needs to know all that lies before it, and a workgroup cannot wait for another one: WGSL
// promises no progress. So each tile is first reduced to one state, since the last beginning of a row if there are rows; then the
// states are scanned, which is the same work on a few thousandths of the items; then each tile is scanned from the state before it
// (`scan`). The input is read twice, and the results are written once. What CUB does, one read and one write by waiting for the
// neighbour's state, takes a third less traffic, and needs workgroups that are sure to run.
//
// The items are combined in their order, so `combine` need not commute. The order is fixed by the tiles alone: the same bits every time.
//
// The last tile has no state, since no tile is behind it: all tiles here are full.
#import io
#import entry
#import rows
#import items
#import tile

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.tiles {
        return;
    }
    put_totals(load_tile(wg.index, at.lid), at.lid);
    let item = wg.index * OWN * WG;
    let sum = through(total(own_totals(at.lid, item)), reach(at.lid, item), at);
    if at.lid == WG - 1u {
        states[params.store + wg.index] = sum;
    }
}
