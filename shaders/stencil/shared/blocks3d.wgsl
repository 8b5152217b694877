// The blocks of a 3D grid, and which of its cells are computed.
#import stencil/shared/params
#import stencil/shared/computed
#import stencil/shared/tiles

// The position of a workgroup's block, and the planes through which it sweeps: `begin` up to, not including,
// `end`. All of this depends only on the workgroup's id, so it is uniform, and barriers may depend on it.
struct Block {
    across: i32,
    down: i32,
    begin: i32,
    end: i32,
}

fn block_of(id: vec3<u32>) -> Block {
    let tile = tile_of(id);
    let begin = first_plane() + i32(tile.layer * params.layers_per_group);
    return Block(tile.across, tile.down, begin, min(begin + i32(params.layers_per_group), end_plane()));
}

// True if the cells at (r, c) of the planes in between are computed.
fn computes(r: i32, c: i32) -> bool { return first_row() <= r && r < end_row() && first_col() <= c && c < end_col(); }
fn index_of(p: i32, r: i32, c: i32) -> u32 { return (u32(p) * params.rows + u32(r)) * params.cols + u32(c); }
