// parted: tables of groups (tables.wgsl) from pairs that lie by parts (parts.wgsl).
//
// A workgroup has a share of the pairs, all of which are as long, and takes those of one part after the other. Every turn takes as many pairs as the room of
// a table's words allows, or up to the end of a part. The number of turns is the same for all workgroups, and barriers are outside of all conditions: a compiler
// need not know that all invocations are at the same place.
#import entry
#import io
#import pairs
#import table
#import parted_pairs

// Steps of a turn.
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

// The place after a part's last pair.
fn end_of(part: u32) -> u32 {
    return offsets[min(part + 1u, PARTS) * params.shares];
}

fn kernel(at: Place, wg: Workgroup) {
    let begin = min(wg.index * params.period, params.len);
    let stop = min(min(begin + params.period, params.len), offsets[PARTS * params.shares]);
    begin_table(at.lid);
    var place = begin;
    var part = 0u;
    workgroupBarrier();
    for (var turn = 0u; turn < params.steps; turn++) {
        while part < PARTS && end_of(part) <= place {
            part += 1u;
        }
        first_group = part << SHIFT;
        mine = min(SLICE, max(GROUPS, first_group) - first_group);
        let part_end = min(end_of(part), stop);
        let end = min(place + 4u * STEPS * WG, part_end);
        // A turn that begins a part has an empty table, and any window is as good.
        let has_missed = turn == 0u || atomicLoad(&misses) > most_misses(STEPS);
        var bits = 0u;
        if place < end {
            bits = parted[min(place + at.lid, end - 1u)].y;
        }
        workgroupBarrier();
        look(false, chosen_window(has_missed && place < end, bits, at.lid), at.lid);
        workgroupBarrier();
        for (var step = 0u; step < STEPS; step++) {
            if place + 4u * step * WG < end {
                visit(load_parted(place + 4u * step * WG + at.lid, end));
            }
        }
        workgroupBarrier();
        if place < end && end == part_end {
            look(true, window, at.lid);
            for (var slot = at.lid; slot < mine; slot += WG) {
                move_keys(slot);
            }
        }
        place = max(place, end);
    }
}
