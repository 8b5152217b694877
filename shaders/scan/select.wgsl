// select: the kept elements of each tile, in their order, and the number of all.
//
// The last of three dispatches, as in `scan`: an element's accumulator is 1 if it is kept, so what lies before it is its place in the
// output. Four elements in a row of one invocation are kept at neighbouring places, but a store of single elements would meet each
// sector of memory several times: about twice the time of the read on a large GPU. So the kept elements of a tile are first put
// side by side in workgroup memory, as many at a time as find room there, and then stored in a row. How many times that takes does not depend on the
// data, since no barrier may.
#import io
#import entry
#import items
#import tile
#import selected

@group(0) @binding(1) var<storage, read_write> output: array<Selected>;
@group(0) @binding(11) var<storage, read_write> count: array<u32>;

// Elements that find room in workgroup memory, and the places there: the last one takes all that are not kept, or not yet.
override STAGED: u32 = 2048u;
override PLACES: u32 = 2049u;

var<workgroup> staged: array<Selected, PLACES>;

// The place of an element that is not kept: beyond all others.
const NOWHERE: u32 = 0x80000000u;

// The places in the tile of four elements, from the place of the first one that is kept.
fn places_of(items: Items, i: u32, place: u32) -> vec4<u32> {
    let four = four_of(items, i);
    let b = place + four.a;
    let c = b + four.b;
    let d = c + four.c;
    let is_kept = vec4<u32>(four.a, four.b, four.c, four.d) != vec4<u32>();
    return select(vec4<u32>(NOWHERE), vec4<u32>(place, b, c, d), is_kept);
}

// Puts those of four elements in their places that have some from `begin` on. There is no branch: sixteen of them would take SwiftShader
// minutes to compile.
fn stage_four(items: Items, i: u32, places: vec4<u32>, begin: u32) {
    let at = min(places - begin, vec4<u32>(STAGED));
    let index = params.index + i;
    staged[at.x] = selected(items.x, index);
    staged[at.y] = selected(items.y, index + 1u);
    staged[at.z] = selected(items.z, index + 2u);
    staged[at.w] = selected(items.w, index + 3u);
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.tiles {
        return;
    }
    let loaded = load_tile(wg.index, at.lid);
    let start = state_before(wg.index);
    scan_totals(loaded, wg.index, start, at);
    let end = sums[WG - 1u];
    let first = places_of(loaded.first, loaded.items.x, totals[place_of(at.lid)] - start);
    let second = places_of(loaded.second, loaded.items.y, totals[place_of(WG + at.lid)] - start);
    let third = places_of(loaded.third, loaded.items.z, totals[place_of(2u * WG + at.lid)] - start);
    let fourth = places_of(loaded.fourth, loaded.items.w, totals[place_of(3u * WG + at.lid)] - start);
    for (var begin = 0u; begin < OWN * WG; begin += STAGED) {
        let onto = start + begin;
        let here = min(max(end, onto) - onto, STAGED);
        if here > 0u {
            stage_four(loaded.first, loaded.items.x, first, begin);
            stage_four(loaded.second, loaded.items.y, second, begin);
            stage_four(loaded.third, loaded.items.z, third, begin);
            stage_four(loaded.fourth, loaded.items.w, fourth, begin);
        }
        workgroupBarrier();
        for (var k = at.lid; k < here; k += WG) {
            output[onto + k] = staged[k];
        }
        workgroupBarrier();
    }
    if is_last(wg.index) && at.lid == 0u {
        count[params.count_at] = end;
    }
}
