// Rooms of tiles with few runs: the position of each, and the accumulator of the one before.
#import by_key/shared/run
#import by_key/shared/run_outputs
#import by_key/shared/run_tile
#import by_key/shared/summaries

// Moves a run, and its result if another run begins in the tile.
fn put_from_room(tile: u32, nth: u32, runs: u32, place: u32) {
    let begin = start_in_room(tile, nth);
    run_keys[place] = key(begin);
    if nth + 1u < runs {
        results[place] = finish(ends[room_in_ends(tile) + nth + 1u], start_in_room(tile, nth + 1u) - begin);
    }
}
