// arguments: the workgroups of an indirect dispatch, from a count on the GPU.
//
// A dimension holds a limited number of workgroups. A larger number is split into rows of equal length, so the last row may be too long.

struct Params {
    // The position of the count in its binding.
    first: u32,
    // Items of a workgroup.
    items: u32,
    // The most workgroups of a dimension.
    most: u32,
    // The place of the arguments in their binding, in words.
    arguments_at: u32,
}

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> arguments: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

fn divided_up(a: u32, b: u32) -> u32 { return a / b + u32(a % b != 0u); }

@compute @workgroup_size(1)
fn main() {
    let groups = divided_up(counts[params.first], params.items);
    let rows = max(divided_up(groups, params.most), 1u);
    arguments[params.arguments_at] = divided_up(groups, rows);
    arguments[params.arguments_at + 1u] = rows;
    arguments[params.arguments_at + 2u] = 1u;
}
