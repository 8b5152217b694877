// Rows of packs, each with the sums of its cells' neighbours to the west and to the east. A row contributes
// these to the new cells in it and in the neighbouring rows.
//
// One vector and two words are loaded for a row of packs. A sum of two neighbours serves the row's own cells
// and the rows above and below, whose diagonal neighbours they are.
#import lanes
#import border

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
#ifdef rhs
    added: Pack,
#endif
}

fn load_row(plane: u32, r: i32, cols: Cols) -> Loaded {
    let row = (plane * params.rows + row_at(r)) * params.cols;
#ifdef rhs
    let added = addend(row + u32(cols.own));
    return Loaded(pack(row + u32(cols.own)), cell(row + cols.west), cell(row + cols.east), added);
#else
    return Loaded(pack(row + u32(cols.own)), cell(row + cols.west), cell(row + cols.east));
#endif
}

// A pack of cells, and for each the sum of its neighbours to the west and to the east.
struct Row {
    own: Pack,
    sides: Pack,
#ifdef rhs
    added: Pack,
#endif
}

fn row_of(loaded: Loaded) -> Row {
    let west = shift_from_west(loaded.west, loaded.own);
    let east = shift_from_east(loaded.own, loaded.east);
#ifdef rhs
    return Row(loaded.own, west + east, loaded.added);
#else
    return Row(loaded.own, west + east);
#endif
}

// A plane's contributions to its own outputs, and to those in the planes below and above. For outputs in
// progress: the sum so far, and the newest plane's contribution to the next.
struct PlaneSums {
    here: Pack,
    beside: Pack,
}

// The sums of a row's cells, with the right-hand side.
fn with_added(sums: Pack, row: Row) -> Pack {
#ifdef rhs
    return sums + row.added;
#else
    return sums;
#endif
}
