// Rooms of all runs of a short input: their keys and results. No dispatch has joined its tiles before.
#import by_key/shared/io
#import by_key/shared/run
#import by_key/shared/run_outputs
#import by_key/shared/summaries

@group(0) @binding(8) var<storage, read> room_keys: array<RunKey>;
@group(0) @binding(9) var<storage, read> room_results: array<Stored>;

fn parts() -> u32 { return params.tiles; }
fn part_of(tile: u32) -> u32 { return tile; }
fn runs_of_part(nth: u32) -> Runs { return runs_of_tile(nth); }
fn runs_before(tile: u32, joined: Runs) -> Runs { return joined; }

fn put_from_room(tile: u32, nth: u32, runs: u32, place: u32) {
    run_keys[place] = room_keys[tile * params.room + nth];
    if nth + 1u < runs {
        results[place] = room_results[tile * params.room + nth];
    }
}
