// A tile in workgroup memory: the total of each four items, in the order of the input.
//
// An invocation loads eight vectors of four items, and neighbours load neighbouring vectors, so loads coalesce. Workgroup memory transposes the
// totals: an invocation then adds up the totals of 32 items in a row, and only this sum takes part in the steps with barriers.
#import scan/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import scan/shared/rows
#import scan/shared/loaded
#import scan/after/*
#import scan/shared/sums
#import lib/workgroup/through/*
#import scan/shared/shifted

// The places for totals: eight for each invocation, and one in 32 that is not used, so that a stride of eight meets every bank.
override TOTALS: u32 = 2112u;

var<workgroup> totals: array<Acc, TOTALS>;

fn place_of(four: u32) -> u32 { return four + (four >> 5u); }

// Items between the vectors of an invocation.
fn apart_by(wg: Workgroup) -> u32 { return 4u * WG; }
fn load_tile(item: u32, at: Place, wg: Workgroup) -> LoadedItems { return load_apart(item + 4u * order_in_group(at, wg), apart_by(wg)); }

fn sums_of(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> Sums {
    let lid = order_in_group(at, wg);
    let own = totals_of(loaded, apart_by(wg));
    totals[place_of(lid)] = own.p0;
    totals[place_of(WG + lid)] = own.p1;
    #for k in 2..8: totals[place_of($(k)u * WG + lid)] = own.p$k;
    workgroupBarrier();
    var sum = totals[place_of(8u * lid)];
    for (var k = 1u; k < 8u; k += 1u) {
        sum = after(sum, totals[place_of(8u * lid + k)], begins_in(item + ITEMS_PER_LANE * lid + 4u * k, 4u));
    }
    sum = through(sum, lanes_in_row(lid, item), at, wg);
    return Sums(sum, sum);
}

fn prefixes_of(loaded: LoadedItems, sums: Sums, item: u32, at: Place, wg: Workgroup) -> Prefixes {
    let lid = order_in_group(at, wg);
    var sum = shifted(sums.own, lid);
    for (var k = 0u; k < 8u; k += 1u) {
        let place = place_of(8u * lid + k);
        let own = totals[place];
        totals[place] = sum;
        sum = after(sum, own, begins_in(item + ITEMS_PER_LANE * lid + 4u * k, 4u));
    }
    workgroupBarrier();
    return Prefixes(
        totals[place_of(lid)],
        totals[place_of(WG + lid)],
        #for k in 2..8: totals[place_of($(k)u * WG + lid)],
    );
}
