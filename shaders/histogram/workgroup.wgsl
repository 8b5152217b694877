// workgroup: every workgroup counts in its own memory, and then adds its counts to the result once.
//
// Reads each key once for each slice of bins. Writes one addition to storage per bin and workgroup. One per key would be slow: 2^30 equal keys take more
// than half a second.
//
// Inside the workgroup, lanes that access different words of one of the 32 banks, or add to one word, wait for each other. So each bin has
// COPIES adjacent counters, and each lane uses one of them:
//
//     word     0   1   2   3   4   5   6   7   8   ...
//     bin      0   0   0   0   1   1   1   1   2          COPIES = 4
//     copy     0   1   2   3   0   1   2   3   0
//
// With 32 copies all words of a lane are in its own bank; with 16 copies two lanes share one. There are as many copies as fit 16 KiB. With
// fewer than 32, MERGE counts four equal keys of a vector at once. When copies are added up, each invocation starts with its own lane's.
//
// If the bins do not fit, they are cut into slices, and the keys are read SLICES times. The workgroups of one share have neighbouring
// indices, so one read goes to memory and the others to the cache. CUB counts up to 256 bins with one copy per block.
//
// Cost: an addition in workgroup memory for each key.
#import lib/grid/entry
#import histogram/shared/io
#import histogram/walk/*

// Counters of one bin: a power of two.
override COPIES: u32 = 32u;
// The number of slices, and the bins of one slice; the last slice may reach beyond COUNTERS.
override SLICES: u32 = 1u;
override SLICE_BINS: u32 = 256u;
// SLICE_BINS times COPIES.
override SLOTS: u32 = 8192u;

var<workgroup> counters: array<atomic<u32>, SLOTS>;

// The first bin of the workgroup's slice, and the copy of an invocation.
struct Counter {
    first: u32,
    copy: u32,
}

fn count(bin: u32, times: u32, to: ptr<function, Counter>) {
    // A bin of an earlier slice wraps around to a large number.
    let slot = bin - (*to).first;
    if slot < SLICE_BINS {
        atomicAdd(&counters[slot * COPIES + (*to).copy], times);
    }
}

fn kernel(at: Place, wg: Workgroup) {
    let share = wg.index / SLICES;
    if share >= params.groups {
        return;
    }
    var to = Counter((wg.index - share * SLICES) * SLICE_BINS, at.lid & (COPIES - 1u));

    for (var k = at.lid; k < SLOTS; k += WG) {
        atomicStore(&counters[k], 0u);
    }
    workgroupBarrier();
    walk(share * WG + at.lid, params.groups * WG, &to);
    workgroupBarrier();

    for (var slot = at.lid; slot < SLICE_BINS; slot += WG) {
        var total = 0u;
        for (var k = 0u; k < COPIES; k += 1u) {
            total += atomicLoad(&counters[slot * COPIES + ((k + at.lid) & (COPIES - 1u))]);
        }
        let bin = to.first + slot;
        if total > 0u && bin < COUNTERS {
            atomicAdd(&counts[bin], total);
        }
    }
}
