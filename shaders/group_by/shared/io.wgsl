// The parameters of a dispatch.
#import lib/grid/group_index

struct Params {
    // Workgroups in a row of the grid.
    grid_row: u32,
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
