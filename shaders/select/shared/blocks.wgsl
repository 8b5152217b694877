// Tiles of the whole input, and blocks of them.
#import io

// Elements of a tile.
override TILE: u32 = 4096u;
// Tiles of a block: four for each invocation that joins them.
override BLOCK: u32 = 1024u;

// An empty input has one tile, which stores the number of kept elements.
fn all_tiles() -> u32 {
    return max((params.count + TILE - 1u) / TILE, 1u);
}

fn count_or_none(tile: u32) -> u32 {
    return select(0u, counts[min(tile, all_tiles() - 1u)], tile < all_tiles());
}

fn put_count(tile: u32, count: u32) {
    if tile < all_tiles() {
        counts[tile] = count;
    }
}
