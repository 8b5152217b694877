// Parameters of one dispatch. A tile is `ITEMS_PER_LANE` items, elements of the input, for each invocation of a workgroup.
#import lib/grid/group_index
#import <operator>

struct Params {
    // The position of the first item in the binding.
    first: u32,
    // The first item, counted in the whole input.
    index: u32,
    // The number of items.
    len: u32,
    // Elements of the whole input, and of a row; of rows between offsets their number.
    count: u32,
    row: u32,
    // The position of the first result in the binding.
    store: u32,
    // Tiles before the first of this dispatch, and tiles of this dispatch.
    skipped: u32,
    tiles: u32,
    // Workgroups in a row of the grid, and in all.
    grid_row: u32,
    tickets: u32,
    // Places among the links: of the ticket, in words; of the first slot, in words; of the first prefix, in slots; and slots in all.
    ticket: u32,
    links: u32,
    prefixes: u32,
    slots: u32,
    // The place of the number of kept elements in its binding, in words, if the scan selects.
    count_at: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;
// True if the input has more than one row.
override ROWS: bool = false;
// Items of an invocation.
override ITEMS_PER_LANE: u32 = 32u;
