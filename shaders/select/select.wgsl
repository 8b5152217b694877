// select: moves the kept elements of each tile to their places, in their order, and stores the number of all.
//
// The last of three dispatches, see `mark`. Reads the marks, of the elements those vectors of four of which one is kept, and writes the kept elements.
//
// The place of an element is the number of kept ones before it: in earlier tiles, in earlier rows of its tile, in earlier invocations, and among its
// four. Four elements of one invocation are kept at neighbouring places, but a store of single elements would meet each
// sector of memory several times. So the kept elements of two rows are first put side by side in workgroup memory, and then stored in a row.
#import io
#import entry
#import items
#import places
#import selected

@group(0) @binding(1) var<storage, read_write> output: array<Selected>;
@group(0) @binding(11) var<storage, read_write> count: array<u32>;

// Room for the elements of two rows, and one place for those that are not kept.
override ROOM: u32 = 2049u;

var<workgroup> staged: array<Selected, ROOM>;

// Loads four elements if one of them is kept.
fn load_kept(own: u32, row: u32, i: u32, as_vector: bool) -> Items {
    if ((own >> (4u * row)) & 15u) != 0u {
        return load_items(i, as_vector);
    }
    return Items();
}

// Puts those of four elements that are kept in their places. There is no branch: sixteen of them would take SwiftShader minutes to compile.
fn stage_four(items: Items, marks: u32, i: u32, place: u32) {
    let is_kept = (vec4<u32>(marks) & vec4<u32>(1u, 2u, 4u, 8u)) != vec4<u32>();
    let b = place + (marks & 1u);
    let c = b + ((marks >> 1u) & 1u);
    let d = c + ((marks >> 2u) & 1u);
    let at = select(vec4<u32>(8u * WG), vec4<u32>(place, b, c, d), is_kept);
    let index = params.index + i;
    staged[at.x] = selected(items.x, index);
    staged[at.y] = selected(items.y, index + 1u);
    staged[at.z] = selected(items.z, index + 2u);
    staged[at.w] = selected(items.w, index + 3u);
}

// Moves the kept elements of two rows. `before` are those before each of the two in this row, and `all` those of the rows. Returns the place behind them.
fn move_rows(first: Items, second: Items, marks: u32, i: u32, before: u32, all: u32, onto: u32, lid: u32) -> u32 {
    let middle = all & 0xffffu;
    let number = middle + (all >> 16u);
    stage_four(first, marks, i, before & 0xffffu);
    stage_four(second, marks >> 4u, i + 4u * WG, middle + (before >> 16u));
    workgroupBarrier();
    for (var k = lid; k < number; k += WG) {
        output[onto + k] = staged[k];
    }
    workgroupBarrier();
    return onto + number;
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.tiles {
        return;
    }
    let lid = order_in_group(at, wg);
    let tile = params.skipped + wg.index;
    let own = marks[tile * WG + lid];
    let i = first_of(wg.index, lid);
    let as_vectors = has_vectors(wg.index);
    let a = load_kept(own, 0u, i, as_vectors);
    let b = load_kept(own, 1u, i + 4u * WG, as_vectors);
    let c = load_kept(own, 2u, i + 8u * WG, as_vectors);
    let d = load_kept(own, 3u, i + 12u * WG, as_vectors);
    let e = load_kept(own, 4u, i + 16u * WG, as_vectors);
    let f = load_kept(own, 5u, i + 20u * WG, as_vectors);
    let g = load_kept(own, 6u, i + 24u * WG, as_vectors);
    let h = load_kept(own, 7u, i + 28u * WG, as_vectors);
    // The numbers of two rows in a word: no row has more than 1024 elements.
    let low = vec4<u32>(own, own >> 8u, own >> 16u, own >> 24u);
    let numbers = countOneBits(low & vec4<u32>(15u)) | (countOneBits(low & vec4<u32>(240u)) << vec4<u32>(16u));
    let places = places_of(numbers, at, wg);
    var onto = 0u;
    if tile > 0u {
        onto = ends[tile - 1u];
    }
    onto = move_rows(a, b, own, i, places.before.x, places.all.x, onto, lid);
    onto = move_rows(c, d, own >> 8u, i + 8u * WG, places.before.y, places.all.y, onto, lid);
    onto = move_rows(e, f, own >> 16u, i + 16u * WG, places.before.z, places.all.z, onto, lid);
    onto = move_rows(g, h, own >> 24u, i + 24u * WG, places.before.w, places.all.w, onto, lid);
    let is_last = params.index + params.len == params.count && params.len - wg.index * OWN * WG <= OWN * WG;
    if is_last && lid == 0u {
        count[params.count_at] = onto;
    }
}
