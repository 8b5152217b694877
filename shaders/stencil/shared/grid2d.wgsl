// A 2D grid.
#import params
#import border
#import cells

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

// The cell at (r, c), for any position. Beyond a side, the border determines the value.
fn load(r: i32, c: i32) -> Elem {
    return cell(row_at(r) * params.cols + col_at(c));
}

// The cell at (r, c), which must be a computed cell or a neighbour of one. With fixed sides this needs no
// checks.
fn neighbour(r: i32, c: i32) -> Elem {
    return cell(row_beside(r) * params.cols + col_beside(c));
}

// True if the cell exists and is computed.
fn computes(r: i32, c: i32) -> bool {
    return first_row() <= r && r < end_row() && first_col() <= c && c < end_col();
}

fn index_of(r: i32, c: i32) -> u32 {
    return u32(r) * params.cols + u32(c);
}
