// tables: aggregates groups in a table in the memory of each workgroup.
//
// Reads each pair once for each slice of groups. Adds a group to its state after some thousand additions, and at the end.
//
// An atomic addition whose result is unused costs six to eight times less, as the hardware need not wait. A float in the window, a range of exponents,
// is an integer of 48 bits, its significand shifted by its exponent: three digits of 16 bits, the highest signed, added without reading a carry.
//
//     window from 2^-10 to 2^14     1.5 · 2^3 is 0xc00000 << 13     -1.5 · 2^3
//     digits, the highest first     0x0018  0x0000  0x0000          -0x0018  0x0000  0x0000
//
// A word of 32 bits has room for 2^15 digits, so carries wait until then. A fourth word counts the group's elements and, in its upper half, the number
// of -0. Every `period` steps a workgroup moves groups of 4096 additions and more to the states in storage.
//
// Words lie in planes (all counts, all lowest digits, and so on), so groups spread over the banks. If there is room, a group has COPIES of
// each word, against contention. Four neighbouring pairs with one id are added once.
//
// A workgroup chooses its window from sampled exponents. Values outside go to the state in storage one by one; if they are many, it
// chooses another window. If not all groups fit, neighbouring workgroups take a slice each. For more groups see count.wgsl.
//
// Cost: four atomic additions in workgroup memory for a pair, of a sum and a count.
#import lib/grid/entry
#import group/ids/*
#import group/shared/io
#import group/shared/pairs
#import group/shared/states
#import group/shared/table
#import group/shared/table_moves
#import group/shared/table_words

// The number of slices.
override SLICES: u32 = 1u;

fn kernel(at: Place, wg: Workgroup) {
    let share = wg.index / SLICES;
    let number = wg.index - share * SLICES;
    if share >= params.shares {
        return;
    }
    let first = number * SLICE;
    var slice = Slice(first, min(SLICE, GROUPS - first), 0u, at.lid & (COPIES - 1u));
    var rejected = 0u;
    // Loads the next pairs before adding these, to hide latency.
    var next_four = load(share * WG + at.lid);
    begin_table(at.lid);
    begin_ids(at.lid);
    put_sample(next_four.bits.x, at.lid);
    workgroupBarrier();
    slice.window = chosen_window(0u, true, at.lid);
    workgroupBarrier();
    for (var begin = 0u; begin < params.steps; begin += params.period) {
        let end = min(begin + params.period, params.steps);
        for (var step = begin; step < end; step++) {
            let loaded = next_four;
            next_four = load(((step + 1u) * params.shares + share) * WG + at.lid);
            let four = with_ids(loaded);
            let all_here = visit(four, slice);
            if number == 0u && !all_here {
                rejected += out_of_range(four);
            }
        }
        put_sample(next_four.bits.x, at.lid);
        workgroupBarrier();
        let has_missed = atomicLoad(&misses) > most_misses(end - begin);
        let window = chosen_window(slice.window, has_missed, at.lid);
        move_groups(end == params.steps, slice, window, at.lid);
        slice.window = window;
        workgroupBarrier();
    }
    add_rejected(rejected);
}
