// Collects runs of a tile in workgroup memory, so that stores coalesce whatever number of runs begins in an invocation's pairs.
#import by_key/shared/run
#import by_key/shared/run_tile
#import by_key/shared/run_walk
#import by_key/shared/values

// Runs that are collected at a time.
override STAGE: u32 = 1024u;

// The keys of runs, and for each the result of the run before.
var<workgroup> staged_keys: array<RunKey, STAGE>;
var<workgroup> staged_results: array<Stored, STAGE>;
// The accumulator of what lies before the tile's first run.
var<workgroup> first_end: Acc;

// The rank in the tile of the first run that is collected.
var<private> first_rank: u32;

// Collects runs from a rank on. `rank`: the runs of the tile before the invocation's pairs; `ahead`: what lies before these.
fn collect(first: u32, own: Own, values: Values, ahead: Runs, rank: u32) {
    if (rank < first + STAGE) & (rank + countOneBits(own.starts) > first) {
        first_rank = first;
        walk_over(own, values, ahead, rank);
    }
    workgroupBarrier();
}

fn emit_run(rank: u32, key: RunKey, acc: Acc, len: u32) {
    if rank == 0u {
        first_end = acc;
    }
    if (rank >= first_rank) & (rank < first_rank + STAGE) {
        staged_keys[rank - first_rank] = key;
        staged_results[rank - first_rank] = finish(acc, len);
    }
}
