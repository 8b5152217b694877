// The star of five cells from the tile in workgroup memory.
#import stencil/star5/*
#import stencil/tile2d/*
#import stencil/shared/tile2d

// The new value of the invocation's cell. Its old value is `own`; the other four are read from the tile.
fn star_around(at: TileCell, own: Elem) -> Elem {
    let column = tile[slot(at.y - 1, at.x)] + tile[slot(at.y + 1, at.x)];
    let row = tile[slot(at.y, at.x - 1)] + tile[slot(at.y, at.x + 1)];
    return star(weights(), own, column, row);
}
