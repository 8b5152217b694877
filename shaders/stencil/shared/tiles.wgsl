// The tiles of a 3D grid: workgroups are numbered along the row, then down, then through the planes.
#import stencil/shared/params

struct Tile {
    across: i32,
    down: i32,
    layer: u32,
}

fn tile_of(id: vec3<u32>) -> Tile {
    let group = group_index(id);
    let line = group / params.blocks_across;
    let layer = line / params.blocks_down;
    return Tile(i32(group - line * params.blocks_across), i32(line - layer * params.blocks_down), layer);
}
