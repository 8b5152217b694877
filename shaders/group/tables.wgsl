// tables: the results of groups, by a table of them in the memory of each workgroup.
//
// An addition to a table is an atomic one, and what it returns is never used: then the hardware need not wait for it, and it costs six to eight
// times less. A float in the window is an integer of 48 bits, its significand shifted by its exponent, and becomes three digits of 16 bits
// in two's complement:
//
//     window from 2^-10 to 2^14     1.5 · 2^3 is 0xc00000 << 13     -1.5 · 2^3
//     digits, the highest first     0x0018  0x0000  0x0000          -0x0018  0x0000  0x0000
//
// A word has 32 bits, so 2^15 such digits fit; carries wait until then. A fourth word counts the elements of the group, in its upper half those that
// are -0. Every some steps a workgroup looks at the counts, and adds tables that are half full to the states of their groups in storage.
//
// The words of a group lie in planes: the counts of all groups, then all lowest digits, and so on. Next to each other they would meet in one
// bank of the memory. Where they find room, a group has COPIES of each word, for the lanes that add to one group at the same time; and four equal ids in
// a row are one addition.
//
// A workgroup chooses its window by a sample of exponents. Numbers outside of it go to the state in storage one by one. If these are
// many, it chooses another one.
//
// If not all groups find room, a workgroup has one of a few slices of them, and its neighbours the others. For more groups see parted.wgsl.
#import entry
#import ids
#import io
#import pairs
#import rejected
#import table
#import table_words

// The number of slices.
override SLICES: u32 = 1u;

// A value of a step, for a sample.
fn sample_of(four: u32) -> u32 {
    return values[params.first + min(4u * four, params.len - 1u)];
}

fn kernel(at: Place, wg: Workgroup) {
    let share = wg.index / SLICES;
    let slice = wg.index - share * SLICES;
    if share >= params.shares {
        return;
    }
    first_group = slice * SLICE;
    mine = min(SLICE, GROUPS - first_group);
    counts_strangers = slice == 0u;
    begin_table(at.lid);
    begin_ids(at.lid);
    window = chosen_window(true, sample_of(share * WG + at.lid), at.lid);
    workgroupBarrier();
    for (var begin = 0u; begin < params.steps; begin += params.period) {
        let end = min(begin + params.period, params.steps);
        // The next pairs are on their way while these are added.
        var next_four = load((begin * params.shares + share) * WG + at.lid);
        for (var step = begin; step < end; step++) {
            let four = next_four;
            next_four = load(((step + 1u) * params.shares + share) * WG + at.lid);
            visit(four);
        }
        workgroupBarrier();
        let has_missed = atomicLoad(&misses) > most_misses(end - begin);
        workgroupBarrier();
        var bits = 0u;
        if has_missed {
            bits = sample_of((end * params.shares + share) * WG + at.lid);
        }
        look(end == params.steps, chosen_window(has_missed, bits, at.lid), at.lid);
        workgroupBarrier();
    }
    for (var slot = at.lid; slot < mine; slot += WG) {
        move_keys(slot);
    }
    add_rejected(at.lid);
}
