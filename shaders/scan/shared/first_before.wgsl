// The first tile whose items take part in what lies before a tile.
#import io
#import columns

fn first_before(tile: u32) -> u32 {
    if !ROWS {
        return 0u;
    }
    let element = tile * OWN * WG;
    let begin = element - column(element);
    return select(begin / (OWN * WG), tile, begin == element);
}
