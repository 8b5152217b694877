// scan: the prefixes of each tile's items, from the state before the tile.
//
// The last of three dispatches (see `reduce`); and the second of them, over states in the place of elements. What is scanned are
// not the items but the totals of four of them, in two steps: an invocation combines four totals in a row, and the workgroup
// combines what its invocations have. So of 16 items of an invocation one value takes part in the steps with barriers. Then each total
// is replaced by what lies before it, and the invocation that has loaded the four items takes it, and finishes with them in
// registers. Elements are mapped twice, which is cheaper than to keep accumulators.
//
// Loads and stores are vectors of four, side by side. A store needs no transposition: it has the shape of the load.
#import io
#import entry
#import rows
#import items
#import tile
#import put

// The state of all tiles before one.
fn state_before(tile: u32) -> Acc {
    let number = params.skipped + tile;
    if number == 0u {
        return identity();
    }
    return states[params.before + number - 1u];
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.tiles {
        return;
    }
    let item = wg.index * OWN * WG;
    let i = own_item(item, at.lid, 0u);
    let j = own_item(item, at.lid, 1u);
    let k = own_item(item, at.lid, 2u);
    let l = own_item(item, at.lid, 3u);
    let first = load_items(i);
    let second = load_items(j);
    let third = load_items(k);
    let fourth = load_items(l);
    let start = state_before(wg.index);
    put_total(at.lid, 0u, total(four_of(first, i)));
    put_total(at.lid, 1u, total(four_of(second, j)));
    put_total(at.lid, 2u, total(four_of(third, k)));
    put_total(at.lid, 3u, total(four_of(fourth, l)));
    workgroupBarrier();

    let own = own_totals(at.lid, item);
    let far = reach(at.lid, item);
    var sum = through(total(own), far, at);
    if far > at.lid {
        sum = combine(start, sum);
    }
    sums[at.lid] = sum;
    workgroupBarrier();

    var before = start;
    if at.lid > 0u {
        before = sums[at.lid - 1u];
    }
    let a = after(before, own.a, own.begins.x);
    let b = after(a, own.b, own.begins.y);
    totals[place_of(4u * at.lid)] = before;
    totals[place_of(4u * at.lid + 1u)] = a;
    totals[place_of(4u * at.lid + 2u)] = b;
    totals[place_of(4u * at.lid + 3u)] = after(b, own.c, own.begins.z);
    workgroupBarrier();

    put(four_of(first, i), totals[place_of(at.lid)], i);
    put(four_of(second, j), totals[place_of(WG + at.lid)], j);
    put(four_of(third, k), totals[place_of(2u * WG + at.lid)], k);
    put(four_of(fourth, l), totals[place_of(3u * WG + at.lid)], l);
}
