// A tile in workgroup memory: the total of each four items, in the order of the input.
//
// An invocation loads four vectors of four items that are far from each other, so that the loads of neighbours lie side by side. Its
// totals change places in workgroup memory: now it has those of sixteen items in a row. Only a quarter of the input goes
// this way.
#import io
#import entry
#import rows
#import items

// The places for totals: four for each invocation, and one in 32 that is not used, so that a stride of four meets every bank.
override TOTALS: u32 = 1056u;

var<workgroup> totals: array<Acc, TOTALS>;
var<workgroup> sums: array<Acc, WG>;

fn place_of(four: u32) -> u32 {
    return four + (four >> 5u);
}

// The items that an invocation has loaded: four vectors, and the first item of each.
struct LoadedItems {
    first: Items,
    second: Items,
    third: Items,
    fourth: Items,
    items: vec4<u32>,
}

fn load_tile(tile: u32, lid: u32) -> LoadedItems {
    let i = tile * OWN * WG + 4u * lid;
    let items = vec4<u32>(i, i + 4u * WG, i + 8u * WG, i + 12u * WG);
    return LoadedItems(load_items(items.x), load_items(items.y), load_items(items.z), load_items(items.w), items);
}

// Puts the totals of what an invocation has loaded in their places.
fn put_totals(loaded: LoadedItems, lid: u32) {
    totals[place_of(lid)] = total(four_of(loaded.first, loaded.items.x));
    totals[place_of(WG + lid)] = total(four_of(loaded.second, loaded.items.y));
    totals[place_of(2u * WG + lid)] = total(four_of(loaded.third, loaded.items.z));
    totals[place_of(3u * WG + lid)] = total(four_of(loaded.fourth, loaded.items.w));
    workgroupBarrier();
}

// The totals of an invocation's sixteen items in a row.
fn own_totals(lid: u32, item: u32) -> FourItems {
    let i = item + OWN * lid;
    let begins = vec4<bool>(begins_in(i, 4u), begins_in(i + 4u, 4u), begins_in(i + 8u, 4u), begins_in(i + 12u, 4u));
    let at = 4u * lid;
    return FourItems(
        totals[place_of(at)],
        totals[place_of(at + 1u)],
        totals[place_of(at + 2u)],
        totals[place_of(at + 3u)],
        begins,
        vec4<u32>(),
    );
}

// The sum of the invocation that is so far before one, if there is one.
fn sum_before(lid: u32, distance: u32) -> Acc {
    return sums[max(lid, distance) - distance];
}

// Combines the values of all invocations up to each, no more than `reach` before it. A step combines four: 256 invocations
// take four steps.
fn through(value: Acc, reach: u32, at: Place) -> Acc {
    var sum = value;
    let most = min(reach, at.lid);
    for (var d = 1u; d < WG; d <<= 2u) {
        sums[at.lid] = sum;
        workgroupBarrier();
        let near = sum_before(at.lid, d);
        let middle = sum_before(at.lid, 2u * d);
        let far = sum_before(at.lid, 3u * d);
        if d <= most {
            sum = combine(near, sum);
        }
        if 2u * d <= most {
            sum = combine(middle, sum);
        }
        if 3u * d <= most {
            sum = combine(far, sum);
        }
        workgroupBarrier();
    }
    return sum;
}

// True if other inputs come before this one: the first state is theirs, and the second one will be that of all.
override CONTINUES: bool = false;

// True if no element comes behind a tile.
fn is_last(tile: u32) -> bool {
    return params.index + params.len == params.count && params.len - tile * OWN * WG <= OWN * WG;
}

// The state of all tiles before one.
fn state_before(tile: u32) -> Acc {
    let number = params.skipped + tile;
    if number == 0u {
        if CONTINUES {
            return states[0];
        }
        return identity();
    }
    return states[params.before + number - 1u];
}

// Puts in the place of each total what lies before its four items, from the state before the tile.
fn scan_totals(loaded: LoadedItems, tile: u32, start: Acc, at: Place) {
    put_totals(loaded, at.lid);
    let item = tile * OWN * WG;
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
}
