// The parameters of a dispatch.
#import lib/grid/group_index

struct Params {
    // The position of the first key in its binding, and in the whole input; and the number of keys.
    first: u32,
    index: u32,
    len: u32,
    // Workgroups that have work, and those in a row of the grid.
    groups: u32,
    grid_row: u32,
    // Steps of each.
    steps: u32,
    // The first words of the list that is read and of the one that is written, and the keys of a run that is in order.
    source: u32,
    target_list: u32,
    run: u32,
    // The place of the number of keys in its binding, in words.
    len_at: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;

// The most groups.
override GROUPS: u32 = 1u;

// Places of the table for keys that their hash leads to: a power of two.
override PLACES: u32 = 4u;
