// parted: tables of groups (tables.wgsl) from pairs in the order of their parts (count.wgsl).
//
// Reads each ordered pair once. Writes tables to the states of groups. A workgroup takes a share of one part:
//
//     10 pairs of part 0, 5 of part 1      shares of 4:  4 4 2 | 4 1      a few workgroups have none
//
// Cost: 8 bytes a pair, and the additions of tables.wgsl.
#import lib/grid/entry
#import group/shared/io
#import group/shared/pairs
#import group/shared/table
#import group/shared/table_moves
#import group/shared/table_words
#import group/shared/parted_pairs
#import lib/workgroup/sum_before

// Steps between two checks of the table.
override STEPS: u32 = 1u;

// Four pairs from this place on, WG apart.
fn load_parted(place: u32, end: u32) -> FourPairs {
    var loaded = no_pairs();
    for (var i = 0u; i < 4u; i++) {
        if place + i * WG < end {
            let pair = parted[place + i * WG];
            loaded = with_pair(loaded, pair.x, pair.y);
        }
    }
    return loaded;
}

// The place of a part's first pair, and the place after its last one.
fn begin_of(part: u32) -> u32 { return offsets[part * params.shares]; }
fn end_of(part: u32) -> u32 { return begin_of(part + 1u); }
fn shares_of(part: u32) -> u32 { return (end_of(part) - begin_of(part) + params.period - 1u) / params.period; }

// A workgroup's share: its part, the place of its first pair, and the place after its last one.
struct Share {
    #for word in part begin end: $word: u32,
}

var<workgroup> found: Share;

// Each invocation adds up the shares of some parts.
fn share_of(group: u32, lid: u32) -> Share {
    if lid == 0u {
        found = Share(0u, 0u, 0u);
    }
    let each = (PARTS + WG - 1u) / WG;
    let end = min(each * (lid + 1u), PARTS);
    var own = 0u;
    for (var part = each * lid; part < end; part++) {
        own += shares_of(part);
    }
    var share = group - sum_before(own, lid);
    for (var part = each * lid; part < end; part++) {
        let shares = shares_of(part);
        // The share is negative, a large number, if it is one of an earlier part.
        if share < shares {
            let begin = begin_of(part) + share * params.period;
            found = Share(part, begin, min(begin + params.period, end_of(part)));
        }
        share -= shares;
    }
    return workgroupUniformLoad(&found);
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.groups {
        return;
    }
    let share = share_of(wg.index, at.lid);
    if share.begin == share.end {
        return;
    }
#ifdef hashed
    var slice = Slice(share.part, SLICE, 0u, 0u);
#else
    let first = share.part << SHIFT;
    var slice = Slice(first, min(SLICE, GROUPS - first), 0u, 0u);
#endif
    var next_four = load_parted(share.begin + at.lid, share.end);
    begin_table(at.lid);
    put_sample(next_four.bits.x, at.lid);
    workgroupBarrier();
    slice.window = chosen_window(0u, true, at.lid);
    workgroupBarrier();
    for (var begin = share.begin; begin < share.end; begin += 4u * WG * STEPS) {
        for (var step = 0u; step < STEPS; step++) {
            let place = begin + 4u * WG * step;
            if place < share.end {
                let four = next_four;
                next_four = load_parted(place + 4u * WG + at.lid, share.end);
                visit(four, slice);
            }
        }
        put_sample(next_four.bits.x, at.lid);
        workgroupBarrier();
        let window = chosen_window(slice.window, atomicLoad(&misses) > most_misses(STEPS), at.lid);
        move_groups(begin + 4u * WG * STEPS >= share.end, slice, window, at.lid);
        slice.window = window;
        workgroupBarrier();
    }
}
