// Parameters of one dispatch, and what dispatches hand to each other. A tile is 32 elements for each invocation of a workgroup.
#import group_index

struct Params {
    // The position of the first element in the binding.
    first: u32,
    // The first element, counted in the whole input.
    index: u32,
    // The number of elements.
    len: u32,
    // Elements of the whole input.
    count: u32,
    // Tiles of this dispatch.
    tiles: u32,
    // Workgroups in a row of the grid.
    row: u32,
    // The place of the number of kept elements in its binding, in words.
    count_at: u32,
    // Where the counts have the first kept element of each tile, in words.
    firsts: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// A bit for each element of the whole input.
@group(0) @binding(5) var<storage, read_write> marks: array<u32>;
// The kept elements of each tile, later those of all tiles before it; behind them the same for each block of tiles, and where it matters
// the first kept element of each tile.
@group(0) @binding(6) var<storage, read_write> counts: array<u32>;

// Invocations in a workgroup: a power of two.
override WG: u32 = 128u;
// Elements of an invocation, a word of marks.
const OWN: u32 = 32u;
// What stands for the first kept element of a tile that has none.
const NO_FIRST: u32 = 0xffffffffu;

// The tile of the whole input that is this one of the dispatch.
fn whole_tile(tile: u32) -> u32 {
    return params.index / (OWN * WG) + tile;
}
