// The parameters of a dispatch.
#import lib/grid/group_index

struct Params {
    // The position of the first pair in the binding of the keys, and in that of the values.
    first_key: u32,
    first_value: u32,
    // The number of pairs, and of tiles.
    count: u32,
    tiles: u32,
    // Workgroups in a row of the grid.
    grid_row: u32,
    // The most runs of a tile that has room for them.
    room: u32,
    // Invocations that place a tile's runs, and tiles whose runs a workgroup places.
    team: u32,
    tiles_each: u32,
    // The place of the number of runs in its binding, in words.
    len_at: u32,
    // Places among the links: of the first slot, in words; of the first prefix, in slots; and slots in all.
    links: u32,
    prefixes: u32,
    slots: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: also the tiles of a group.
override WG: u32 = 256u;
// Runs go on from row to row.
const ROWS: bool = false;
