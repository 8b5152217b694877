// storage: counts directly in storage, a run of equal keys at once.
//
// Reads each key once. Writes to a counter for each run of an invocation's keys:
//
//     bins 3 3 3 7 3      counts[3] + 3    counts[7] + 1    counts[3] + 1
//
// For many bins and little workgroup memory. Slices of bins (histogram/workgroup.wgsl) read the keys once per slice: with more than eight slices,
// this kernel is better. Additions to one address are serialized. With runs equal keys take one addition per invocation, sorted keys hardly
// more. A few distinct values in random order remain slow.
//
// Cost: an addition to storage moves a sector of the cache, as much as reading eight keys.
#import lib/grid/entry
#import histogram/shared/io
#import histogram/walk/*

// The last bin, and the length of its run.
var<private> run_bin: u32 = NOWHERE;
var<private> run_length: u32 = 0u;

fn end_run() {
    if run_bin < COUNTERS {
        atomicAdd(&counts[run_bin], run_length);
    }
}

fn count(bin: u32, times: u32) {
    if bin != run_bin {
        end_run();
        run_bin = bin;
        run_length = 0u;
    }
    run_length += times;
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index < params.groups {
        walk(wg.index * WG + at.lid, params.groups * WG);
        end_run();
    }
}
