// Collects runs of a tile in workgroup memory, so that stores coalesce whatever number of runs begins in an invocation's pairs.
#import by_key/shared/run
#import by_key/shared/run_tile
#import by_key/shared/run_walk
#import by_key/shared/values
#import <kernel>

// Runs that are collected at a time.
override STAGE: u32 = 1024u;

// The keys of runs, and for each the result of the run before.
var<workgroup> staged_keys: array<RunKey, STAGE>;
var<workgroup> staged_results: array<Stored, STAGE>;
// The accumulator of what lies before the tile's first run.
var<workgroup> first_end: Acc;

// Stores `runs` runs of a tile, each by the kernel's `put_run`. `rank`: those before the invocation's pairs; `ahead`: what lies before these; `base`:
// the place of the tile's first run.
fn store_runs(base: u32, runs: u32, own: Own, values: Values, ahead: Runs, rank: u32, lid: u32) {
    for (var first = 0u; first < runs; first += STAGE) {
        if (rank < first + STAGE) & (rank + countOneBits(own.starts) > first) {
            walk_over(own, values, ahead, rank, first);
        }
        workgroupBarrier();
        for (var nth = lid; nth < min(runs - first, STAGE); nth += WG) {
            put_run(base, first + nth, staged_keys[nth], staged_results[nth]);
        }
        workgroupBarrier();
    }
}

// `first`: the rank in the tile of the first run that is collected.
fn emit_run(first: u32, rank: u32, key: RunKey, acc: Acc, len: u32) {
    if rank == 0u {
        first_end = acc;
    }
    if (rank >= first) & (rank < first + STAGE) {
        staged_keys[rank - first] = key;
        staged_results[rank - first] = finish(acc, len);
    }
}
