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
    var loaded = FourPairs(vec4<u32>(NOWHERE), vec4<u32>(0u), 4u);
    for (var i = 0u; i < 4u; i++) {
        loaded = turned(loaded);
        if place + i * WG < end {
            let pair = parted[place + i * WG];
            loaded.id.w = pair.x;
            loaded.bits.w = pair.y;
        }
    }
    return loaded;
}

// The place of a part's first pair, and the place after its last one.
fn begin_of(part: u32) -> u32 { return offsets[part * params.shares]; }
fn end_of(part: u32) -> u32 { return begin_of(min(part + 1u, PARTS)); }

fn shares_of(part: u32) -> u32 { return select(0u, (end_of(part) - begin_of(part) + params.period - 1u) / params.period, part < PARTS); }

var<workgroup> found: vec2<u32>;

// The part of a workgroup, and the number of its share among those of the part. Each invocation adds up the shares of some parts.
fn share_of(group: u32, lid: u32) -> vec2<u32> {
    if lid == 0u {
        found = vec2(PARTS, 0u);
    }
    let each = (PARTS + WG - 1u) / WG;
    var own = 0u;
    for (var part = each * lid; part < each * (lid + 1u); part++) {
        own += shares_of(part);
    }
    var share = group - sum_before(own, lid);
    for (var part = each * lid; part < each * (lid + 1u); part++) {
        let shares = shares_of(part);
        // The share is negative, a large number, if it is one of an earlier part.
        if share < shares {
            found = vec2(part, share);
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
    let first = share.x << SHIFT;
    var slice = Slice(first, min(SLICE, max(GROUPS, first) - first), 0u, at.lid & (COPIES - 1u));
    let begin = begin_of(share.x) + select(0u, share.y * params.period, share.x < PARTS);
    let end = min(begin + params.period, end_of(share.x));
    var bits = 0u;
    if begin < end {
        bits = parted[min(begin + at.lid, end - 1u)].y;
    }
    begin_table(at.lid);
    slice.window = chosen_window(0u, true, bits, at.lid);
    workgroupBarrier();
    for (var turn = 0u; turn < params.steps; turn++) {
        for (var step = 0u; step < STEPS; step++) {
            let place = begin + 4u * WG * (turn * STEPS + step);
            if place < end {
                visit(load_parted(place + at.lid, end), slice);
            }
        }
        workgroupBarrier();
        let next_begin = begin + 4u * WG * STEPS * (turn + 1u);
        let has_missed = next_begin < end && atomicLoad(&misses) > most_misses(STEPS);
        if has_missed {
            bits = parted[min(next_begin + at.lid, end - 1u)].y;
        }
        workgroupBarrier();
        let window = chosen_window(slice.window, has_missed, bits, at.lid);
        move_groups(turn + 1u == params.steps, slice, window, at.lid);
        slice.window = window;
        workgroupBarrier();
    }
}
