// Reads of a sweep from its tile, and its writes to the grid.
#import stencil/cells/one
#import stencil/shared/layers
#import stencil/shared/points27
#import stencil/tile3d/*
#import stencil/shared/blocks3d

fn nine(at: SweepCell, layer: u32) -> Nine {
    return Nine(
        tile[slot(layer, at.y - 1, at.x - 1)],
        tile[slot(layer, at.y - 1, at.x)],
        tile[slot(layer, at.y - 1, at.x + 1)],
        tile[slot(layer, at.y, at.x - 1)],
        tile[slot(layer, at.y, at.x)],
        tile[slot(layer, at.y, at.x + 1)],
        tile[slot(layer, at.y + 1, at.x - 1)],
        tile[slot(layer, at.y + 1, at.x)],
        tile[slot(layer, at.y + 1, at.x + 1)],
    );
}

fn store(at: SweepCell, p: i32, end: i32, value: Elem) {
    if p < end {
        put(index_of(p, at.r, at.c), value);
    }
}
