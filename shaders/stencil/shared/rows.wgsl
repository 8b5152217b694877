// Rows of packs, each with the sums of its cells' neighbours to the west and to the east. These sums serve the
// row's own cells and those in the rows above and below, whose diagonal neighbours they are.
#import stencil/lanes/*
#import stencil/shared/border

// The columns of an invocation: those of its pack's first cell, and of the cells before and after the pack.
struct Cols {
    own: i32,
    west: u32,
    east: u32,
}

// The loaded part of a row: a pack of cells, and the cells before and after it. Also the right-hand side of
// the pack's cells; a compiler removes that load for the rows beside the strip, which are not computed.
struct Loaded {
    own: Pack,
    west: Elem,
    east: Elem,
    added: Pack,
}

fn load_row(plane: u32, r: i32, cols: Cols) -> Loaded {
    let row = (plane * params.rows + row_at(r)) * params.cols;
    let own = row + u32(cols.own);
    return Loaded(pack(own), cell(row + cols.west), cell(row + cols.east), addend(own));
}

// A pack of cells, and for each the sum of its neighbours to the west and to the east.
struct Row {
    own: Pack,
    sides: Pack,
    added: Pack,
}

fn row_of(loaded: Loaded) -> Row {
    let west = shift_from_west(loaded.west, loaded.own);
    let east = shift_from_east(loaded.own, loaded.east);
    return Row(loaded.own, west + east, loaded.added);
}

// A plane's contributions to its own outputs, and to those in the planes below and above. For outputs in
// progress: the sum so far, and the newest plane's contribution to the next.
struct PlaneSums {
    here: Pack,
    beside: Pack,
}
