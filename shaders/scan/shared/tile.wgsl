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

// The first item that an invocation loads; the next ones are so far behind each other.
const APART: u32 = 4u;

fn own_item(item: u32, lid: u32, nth: u32) -> u32 {
    return item + APART * (nth * WG + lid);
}

fn put_total(lid: u32, nth: u32, value: Acc) {
    totals[place_of(nth * WG + lid)] = value;
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

// Combines the values of all invocations up to each, no more than `reach` before it. A step combines eight: 256 invocations
// take three steps.
fn through(value: Acc, reach: u32, at: Place) -> Acc {
    var sum = value;
    let most = min(reach, at.lid);
    for (var d = 1u; d < WG; d <<= 3u) {
        sums[at.lid] = sum;
        workgroupBarrier();
        for (var k = 1u; k < 8u; k++) {
            if k * d <= most {
                sum = combine(sums[at.lid - k * d], sum);
            }
        }
        workgroupBarrier();
    }
    return sum;
}
