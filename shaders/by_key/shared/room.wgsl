// The rooms of tiles: the keys of the runs that begin in a tile, and the results of those that end there, too.
#import shared/run_keys/*
#import <operator>

@group(0) @binding(8) var<storage, read_write> room_keys: array<RunKey>;
@group(0) @binding(9) var<storage, read_write> room_results: array<Stored>;
