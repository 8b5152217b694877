// collect: inserts the distinct keys into a hash table in storage, and numbers them.
//
// Reads each key once: from the input, or from pairs in the order of parts (group/put.wgsl). Writes the table, and a list of the keys:
//
//     keys  7 3 7 9 3      table  9 2 . . 7 0 3 1 . . …      list  7 3 9
//
// A key's id is the number of keys before it in the list. The kernels of groups by id look it up (group/tables.wgsl). At the end `sort` and `merge` sort
// the list, and `number` tells each group its position there.
//
// Probing is linear from an even slot, and a lookup reads two slots at once. There are at least eight slots per allowed key. Keys beyond `GROUPS`
// are inserted until an invocation reads a count above `GROUPS`. They have no id, and their pairs are counted as rejected. A lookup
// ends at a pair of slots whose second one is free or has no id: a full table has no free slot.
//
// A slot has the hash of a key. Keys are hashed as unsigned integers in the same order (group_by/key_bits/). The largest hash marks free slots, so its key
// has a slot of its own.
//
// Cost: mostly reads of workgroup memory. A cache of hashes there avoids contention in storage, and a frequent key is only read. A key without
// a slot in the cache is looked up in storage each time. All keys of a part have slots.
#import group/shared/io
#import lib/grid/entry
#import group_by/shared/local_table
#import group_by/shared/places
#ifdef hashed
#import group/shared/parted_pairs
#else
#import group/shared/pair_keys
#endif

@group(0) @binding(10) var<storage, read_write> lists: array<u32>;

const PROBES: u32 = 4u;

#ifdef hashed
// Returns the hash of a pair; past the end, of the last pair.
fn key_at(at: u32) -> u32 { return parted[min(at, params.len - 1u)].x; }

// Returns the hashes of four pairs, WG apart.
fn four_keys(four: u32) -> vec4<u32> {
    let at = 4u * four - 3u * (four % WG);
    return vec4<u32>(key_at(at), key_at(at + WG), key_at(at + 2u * WG), key_at(at + 3u * WG));
}

fn hashes_of(four: vec4<u32>) -> vec4<u32> { return four; }

// The hashes of a part differ in the other bits.
fn first_slot(hashed: u32) -> u32 { return place_of(hashed << countTrailingZeros(PARTS), SLOTS / 2u); }
#else
fn key_at(at: u32) -> u32 { return keys[params.second + min(at, params.len - 1u)]; }

// Returns four keys. Fours begin at whole vectors, so the first one may begin before the first key.
fn four_keys(four: u32) -> vec4<u32> {
    let at = 4u * four - (params.second & 3u);
    if at < params.len && params.len - at >= 4u {
        return key_vectors[(params.second >> 2u) + four];
    }
    return vec4<u32>(key_at(at), key_at(at + 1u), key_at(at + 2u), key_at(at + 3u));
}

fn first_slot(hashed: u32) -> u32 { return place_of(hashed, SLOTS / 2u); }
#endif

// Gives a new key the next id, and appends it to the list.
fn add_to_list(hashed: u32, at: u32) {
    let nth = atomicAdd(&places[2u * number_at()], 1u);
    if nth < GROUPS {
        lists[nth] = unhash(hashed);
        atomicStore(&places[2u * at + 1u], nth);
    }
}

fn are_too_many() -> bool { return atomicLoad(&places[2u * number_at()]) > GROUPS; }

// Inserts a key into the table if it is not there. Invocations that claim slots concurrently may fill the table before their count is seen, so a long
// probe checks the count, too.
fn put_into_table(hashed: u32) {
    var at = 2u * place_of(hashed, PLACES / 2u);
    for (var i = 0u; i < PLACES;) {
        var found = atomicLoad(&places[2u * at]);
        if (found == EMPTY_SLOT || (i & 15u) == 15u) && are_too_many() {
            return;
        }
        if found == EMPTY_SLOT {
            let taken = atomicCompareExchangeWeak(&places[2u * at], EMPTY_SLOT, hashed);
            if taken.exchanged {
                add_to_list(hashed, at);
                return;
            }
            found = taken.old_value;
        }
        if found == hashed {
            return;
        }
        // The exchange may fail although the slot is free.
        if found != EMPTY_SLOT {
            at = (at + 1u) & (PLACES - 1u);
            i += 1u;
        }
    }
}

// Inserts a key that may be new. A word in workgroup memory is a hash plus 1, so that none is 0.
fn insert_local(hashed: u32) {
    if hashed == EMPTY_SLOT {
        let place = 2u * PLACES;
        if atomicLoad(&places[place]) == EMPTY_SLOT && atomicExchange(&places[place], 0u) == EMPTY_SLOT {
            add_to_list(EMPTY_SLOT, PLACES);
        }
    } else if take_slot(hashed + 1u, first_slot(hashed)).is_new {
        put_into_table(hashed);
    }
}

fn insert_four(four: vec4<u32>) {
    let first = vec4<u32>(first_slot(four.x), first_slot(four.y), first_slot(four.z), first_slot(four.w));
    let is_new = (find_slots(four + vec4<u32>(1u), first) == vec4<u32>(NO_SLOT)) | (four == vec4<u32>(EMPTY_SLOT));
    if any(is_new) {
        #for c in x y z w: if is_new.$c { insert_local(four.$c); }
    }
}

fn kernel(at: Place, wg: Workgroup) {
    begin_slots(at.lid);
    workgroupBarrier();
    if (wg.index >= params.groups) | (params.len == 0u) {
        return;
    }
    // The next keys are in flight while these are looked up.
    let first = wg.index * params.steps * WG + at.lid;
    var next_four = four_keys(first);
    for (var step = 0u; step < params.steps; step++) {
        let four = next_four;
        next_four = four_keys(first + (step + 1u) * WG);
        insert_four(hashes_of(four));
    }
}
