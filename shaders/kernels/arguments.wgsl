// arguments: computes the workgroups of an indirect dispatch from a count on the GPU.
//
// A dimension has a limited number of workgroups. A larger number is folded into equal rows, so the last row may exceed it.

struct Params {
    // The position of the count in its binding.
    first: u32,
    // Items per workgroup.
    items: u32,
    // The most workgroups per dimension.
    most: u32,
    // The position of the arguments in their binding, in words.
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
