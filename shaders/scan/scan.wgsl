// scan: the prefixes of each tile's items, from the state before the tile.
//
// The last of three dispatches (see `reduce`); and the second of them, over states in the place of elements. An invocation combines four totals
// of four items each, and the workgroup combines what its invocations have: of 16 items one value takes part in the steps with barriers. Then
// each total is replaced by its prefix. Elements are mapped twice, which is cheaper than to keep accumulators.
//
// Loads and stores are vectors of four, side by side. A store needs no transposition: it has the shape of the load.
#import io
#import entry
#import tile
#import put

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.tiles {
        return;
    }
    let loaded = load_tile(wg.index, at.lid);
    scan_totals(loaded, wg.index, state_before(wg.index), at);
    put(loaded.first, totals[place_of(at.lid)], loaded.items.x);
    put(loaded.second, totals[place_of(WG + at.lid)], loaded.items.y);
    put(loaded.third, totals[place_of(2u * WG + at.lid)], loaded.items.z);
    put(loaded.fourth, totals[place_of(3u * WG + at.lid)], loaded.items.w);
    if CONTINUES && is_last(wg.index) && at.lid == 0u {
        states[1] = sums[WG - 1u];
    }
}
