// The borders of rows, by the columns of elements. A row does not combine with elements before its first.
#import scan/shared/io
#import scan/columns/*

// The last element of some items, from one on.
fn last_of(item: u32, items: u32) -> u32 { return params.index + min(item + items, params.len) - 1u; }

// True if a row begins in some items, from one on.
fn begins_in(item: u32, items: u32) -> bool {
    if !ROWS || item >= params.len {
        return false;
    }
    let last = last_of(item, items);
    return column(last) <= last - (params.index + item);
}

// The number of invocations of a workgroup before one whose items are combined with its own: those since the beginning of the row of
// its last item, or all, and one more, if that row began before the tile, which starts with `item`. Behind the last item the last row goes on.
fn lanes_in_row(lid: u32, item: u32) -> u32 {
    if !ROWS {
        return lid + 1u;
    }
    let last = last_of(min(item + ITEMS_PER_LANE * lid, params.len - 1u), ITEMS_PER_LANE);
    let start = params.index + item;
    let back = column(last);
    if back > last - start {
        return lid + 1u;
    }
    return lid - (last - back - start) / ITEMS_PER_LANE;
}

// The first tile whose items take part in what lies before a tile.
fn first_before(tile: u32) -> u32 {
    if !ROWS {
        return 0u;
    }
    let element = tile * ITEMS_PER_LANE * WG;
    let begin = element - column(element);
    return select(begin / (ITEMS_PER_LANE * WG), tile, begin == element);
}
