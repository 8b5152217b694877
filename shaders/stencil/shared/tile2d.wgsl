// Declarations that the two mappings with a tile in workgroup memory share in 2D.
#import grid2d
#import star5

// The position of an invocation.
struct Place {
    // Its cell in the grid.
    r: i32,
    c: i32,
    // The same cell in the tile.
    y: i32,
    x: i32,
}

// The new value of the invocation's cell. Its old value is `own`; the other four are read from the tile.
fn star_around(at: Place, own: Elem) -> Elem {
    return star(
        weights(),
        own,
        tile[slot(at.y - 1, at.x)],
        tile[slot(at.y + 1, at.x)],
        tile[slot(at.y, at.x - 1)],
        tile[slot(at.y, at.x + 1)],
    );
}
