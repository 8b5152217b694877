// Rooms of all runs of a short input: their keys and results.
#import by_key/shared/io
#import by_key/shared/run_outputs

@group(0) @binding(8) var<storage, read> room_keys: array<RunKey>;
@group(0) @binding(9) var<storage, read> room_results: array<Stored>;

fn put_from_room(tile: u32, nth: u32, runs: u32, place: u32) {
    run_keys[place] = room_keys[tile * params.room + nth];
    if nth + 1u < runs {
        results[place] = room_results[tile * params.room + nth];
    }
}
