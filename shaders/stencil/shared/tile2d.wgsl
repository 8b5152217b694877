// An invocation of the two mappings with a tile in workgroup memory, in 2D.

// The position of an invocation.
struct TileCell {
    // Its cell in the grid.
    r: i32,
    c: i32,
    // The same cell in the tile.
    y: i32,
    x: i32,
}
