// lengths: stores, with each run's key, the length of the previous run. The chain's state has two words: the number of kept keys, and the position after
// the last, or 0.
//
//     keys        7 7 3 3 3 3 3 6 …
//     kept        1 0 1 0 0 0 0 1
//     last        0 1 1 3 3 3 3 3       second word of the state before each key
//     lengths         2         5       of the run before: i + 1 - last
//
// Workgroup memory holds each subgroup's kept positions of sixteen rows (scan/tile/kept_rows.wgsl), compacted. So stores coalesce, and work is per run,
// not per key.
#import scan/shared/io
#import lib/grid/entry

@group(0) @binding(11) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(12) var<storage, read_write> number_of_kept: array<u32>;

fn state(number: u32, last: u32) -> Acc { return Acc(number, last); }
fn number_in(acc: Acc) -> u32 { return acc.x; }
fn last_in(acc: Acc) -> u32 { return acc.y; }

// Stores the length of the run before one that begins at `i`; or of the last one, if `i` is the end of the input.
fn put_length(place: u32, i: u32, last: u32) {
    if place > 0u {
        lengths[place - 1u] = i + 1u - last;
    }
}

#ifdef subgroups
// Keys in sixteen rows of all subgroups.
override POSITIONS: u32 = 2048u;

var<workgroup> positions: array<u32, POSITIONS>;

// The position behind the last kept key of a lane in sixteen rows, or 0.
fn last_of_lane(marks: vec4<u32>, i: u32, lanes: u32) -> u32 {
    var last = 0u;
#for k in 0..4
    if marks[$k] != 0u {
        last = i + ($(4 * k)u + (firstLeadingBit(marks[$k]) >> 3u)) * lanes + 1u;
    }
#end
    return last;
}

fn last_of_subgroup(last: u32) -> u32 { return subgroupMax(last); }

// The index of a kept key's position in its subgroup's ring of `16 * lanes` entries.
fn where_noted(place: u32, lanes: u32, at: Place) -> u32 { return at.subgroup * 16u * lanes + (place & (16u * lanes - 1u)); }
fn note(i: u32, place: u32, lanes: u32, at: Place) { positions[where_noted(place, lanes, at)] = i; }
fn position(place: u32, lanes: u32, at: Place) -> u32 { return positions[where_noted(place, lanes, at)]; }

// The position behind the last kept key before a place, from the state before the rows.
fn last_before(place: u32, ahead: Acc, lanes: u32, at: Place) -> u32 { return select(ahead.y, position(place - 1u, lanes, at) + 1u, place > ahead.x); }

// Stores the lengths of the runs that end in sixteen rows, from the state before the rows and the place after their last kept key. Returns the state
// after them.
fn put_beside(ahead: Acc, end: u32, lanes: u32, at: Place) -> Acc {
    workgroupBarrier();
    for (var place = ahead.x + at.lane; place < end; place += 4u * lanes) {
        #for k in 0..4: let begin$k = position(min(place + $(k)u * lanes, end - 1u), lanes, at);
        #for k in 0..4: let last$k = last_before(min(place + $(k)u * lanes, end - 1u), ahead, lanes, at);
#for k in 0..4
        if place + $(k)u * lanes < end {
            put_length(place + $(k)u * lanes, begin$k, last$k);
        }
#end
    }
    let last = last_before(end, ahead, lanes, at);
    workgroupBarrier();
    return Acc(end, last);
}
#endif
