// Summaries of tiles and groups, for dispatches behind the chain: they read its links as plain vectors.
#import by_key/shared/io
#import by_key/shared/run
#import lib/grid/slots

@group(0) @binding(4) var<storage, read_write> vectors: array<vec4<u32>>;

fn summary_at(slot: u32) -> vec4<u32> { return vectors[slot / 4u + 1u]; }
fn put_summary(slot: u32, summary: vec4<u32>) { vectors[slot / 4u + 1u] = summary; }

// Clears what others look for in a slot, for the next use.
fn clear(slot: u32) { vectors[slot / 4u] = vec4(0u); }

// A pair at which a run begins that is in a tile's room.
fn start_in_room(tile: u32, nth: u32) -> u32 {
    let place = room_in_links(tile) + nth;
    return vectors[place / 4u][place % 4u];
}

// The runs of a tile, or those before it in its group, once tiles are joined.
fn runs_of_tile(tile: u32) -> Runs {
    let summary = summary_at(tile_slot(0u, tile));
    return Runs(summary.x, summary.z, ends[2u * tile + 1u]);
}

// The runs of a group of tiles.
fn runs_of_group(group: u32) -> Runs {
    let summary = summary_at(prefix_slot(0u, group));
    return Runs(summary.x, summary.z, ends[2u * params.tiles + group]);
}

fn put_group(group: u32, runs: Runs) {
    put_summary(prefix_slot(0u, group), vec4(runs.count, 0u, runs.begin, 0u));
    ends[2u * params.tiles + group] = runs.acc;
}
