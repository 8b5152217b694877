// Rooms of tiles with few runs: the position of each, and the accumulator of the one before. `join` has joined tiles to groups.
#import by_key/shared/run
#import by_key/shared/run_outputs
#import by_key/shared/run_tile
#import by_key/shared/summaries

fn parts() -> u32 { return groups(); }
fn part_of(tile: u32) -> u32 { return tile / WG; }
fn runs_of_part(nth: u32) -> Runs { return runs_of_group(nth); }

// The runs before a tile, from those before its group.
fn runs_before(tile: u32, joined: Runs) -> Runs { return join(joined, runs_of_tile(tile)); }

// Moves a run, and its result if another run begins in the tile.
fn put_from_room(tile: u32, nth: u32, runs: u32, place: u32) {
    let begin = start_in_room(tile, nth);
    run_keys[place] = key(begin);
    if nth + 1u < runs {
        results[place] = finish(ends[room_in_ends(tile) + nth + 1u], start_in_room(tile, nth + 1u) - begin);
    }
}
