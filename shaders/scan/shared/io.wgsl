// Parameters of one dispatch, and the states that dispatches hand to each other.
//
// An item is an element, or the state of a tile of an earlier dispatch: its elements, combined. A tile is 16 items for each
// invocation of a workgroup.
#import operator

struct Params {
    // The position of the first item: in the binding, or among the states.
    first: u32,
    // The first element of the first item, counted in the whole input.
    index: u32,
    // The number of items.
    len: u32,
    // Elements of the whole input, and of a row; of rows between offsets their number.
    count: u32,
    row: u32,
    // Elements of an item, as a power of two.
    power: u32,
    // The position of the first result: in the binding, or among the states.
    store: u32,
    // The position of the states of all tiles, and the number of tiles before the first of this dispatch.
    before: u32,
    skipped: u32,
    // Tiles of this dispatch, and workgroups in a row of the grid.
    tiles: u32,
    groups: u32,
    // Of selections, the place of the number of kept elements in its binding, in words.
    count_at: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

@group(0) @binding(4) var<storage, read_write> states: array<Acc>;

// A grid has at most 65 535 workgroups per dimension; a larger grid is folded into rows.
fn group_index(id: vec3<u32>) -> u32 {
    return id.y * params.groups + id.x;
}

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;
// True if the input has more than one row.
override ROWS: bool = false;
// Items of an invocation.
const OWN: u32 = 16u;
