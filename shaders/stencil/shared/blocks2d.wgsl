// The blocks of a 2D grid, and which of its cells are computed.
#import stencil/shared/params
#import stencil/shared/computed

// The position of a workgroup's block, counted in blocks.
struct Block {
    across: i32,
    down: i32,
}

// This takes one division, which every invocation of the workgroup does with the same numbers.
fn block_of(id: vec3<u32>) -> Block {
    let group = group_index(id);
    let down = group / params.blocks_across;
    return Block(i32(group - down * params.blocks_across), i32(down));
}

// True if the cell exists and is computed.
fn computes(r: i32, c: i32) -> bool { return first_row() <= r && r < end_row() && first_col() <= c && c < end_col(); }
fn index_of(r: i32, c: i32) -> u32 { return u32(r) * params.cols + u32(c); }
