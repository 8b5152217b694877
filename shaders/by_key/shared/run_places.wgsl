// Summaries of pairs in workgroup memory.
#import by_key/shared/run

override PLACES: u32 = 512u;

var<workgroup> counts: array<u32, PLACES>;
var<workgroup> run_starts: array<u32, PLACES>;
var<workgroup> accs: array<Acc, PLACES>;

fn put(at: u32, runs: Runs) {
    counts[at] = runs.count;
    run_starts[at] = runs.begin;
    accs[at] = runs.acc;
}

fn at_place(at: u32) -> Runs { return Runs(counts[at], run_starts[at], accs[at]); }
