// Places of runs in a short input: a room for each tile, whatever runs it has. `place` moves them.
#import by_key/shared/io
#import lib/grid/entry
#import shared/run_keys/*
#import <operator>

@group(0) @binding(8) var<storage, read_write> run_keys: array<RunKey>;
@group(0) @binding(9) var<storage, read_write> results: array<Stored>;

fn begin_tile(index: u32, lid: u32) -> u32 { return index; }
fn publish(tile: u32, starts: u32, lid: u32) {}
fn has_room(runs: u32) -> bool { return false; }
fn needs_place(tile: u32, runs: u32) -> bool { return true; }
fn put_in_room(tile: u32, runs: u32, lid: u32) {}
fn place_of(tile: u32, runs: u32, at: Place, wg: Workgroup) -> u32 { return tile * params.room; }
