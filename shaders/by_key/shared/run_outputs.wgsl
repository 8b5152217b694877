// The outputs with the keys of runs and with their results.
#import shared/run_keys/*
#import <operator>

@group(0) @binding(1) var<storage, read_write> run_keys: array<RunKey>;
@group(0) @binding(11) var<storage, read_write> results: array<Stored>;
