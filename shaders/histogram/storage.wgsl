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

// The last bin of an invocation, and the length of its run.
struct Counter {
    bin: u32,
    length: u32,
}

fn end_run(run: Counter) {
    if run.bin < COUNTERS {
        atomicAdd(&counts[run.bin], run.length);
    }
}

fn count(bin: u32, times: u32, run: ptr<function, Counter>) {
    if bin != (*run).bin {
        end_run(*run);
        *run = Counter(bin, 0u);
    }
    (*run).length += times;
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index < params.groups {
        var run = Counter(NOWHERE, 0u);
        walk(wg.index * WG + at.lid, params.groups * WG, &run);
        end_run(run);
    }
}
