// Parameters, and the two inputs: values and the ids of their groups.
#import lib/grid/group_index

struct Params {
    // The positions of the first value and of its id in their bindings, and in the whole input; and the number of pairs.
    first: u32,
    second: u32,
    index: u32,
    len: u32,
    // Workgroups that have work, and those in a row of the grid.
    groups: u32,
    grid_row: u32,
    // Workgroups that share the pairs, and the steps of each.
    shares: u32,
    steps: u32,
    // The steps between two checks of a table, whose words have room for the additions of these.
    period: u32,
}

@group(0) @binding(2) var<uniform> params: Params;

// Invocations in a workgroup: a power of two.
override WG: u32 = 256u;
// The number of groups.
override GROUPS: u32 = 1u;

// The requested results: sums, means or variances; of these variances; the least and the greatest values.
override SUMS: bool = true;
override SQUARES: bool = false;
override WANT_MIN: bool = false;
override WANT_MAX: bool = false;
