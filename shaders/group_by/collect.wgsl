// collect: inserts the distinct keys into a hash table in storage and appends each to a list once, in any order.
//
// Reads each key once. Writes the table and the list:
//
//     keys  7 3 7 9 3      table  9 . . . 7 3 . . …      list  7 3 9
//
// `sort` and `merge` sort the list, and `number` makes a key's position in it the key's id. The kernels of groups by id
// (group/tables.wgsl) then look ids up.
//
// Probing is linear from an even slot, and a lookup reads two slots at once. There are at least eight slots per allowed key. Keys beyond `GROUPS`
// are inserted until an invocation reads a count above `GROUPS`. Unlisted keys have no id, and their pairs are counted as rejected. A lookup
// ends at a pair of slots whose second one is free or unlisted: a full table has no free slot.
//
// Keys are mapped to unsigned integers in the same order (group_by/key_bits/). The largest integer marks free slots, so its key has a slot of its own.
//
// Cost: mostly reads of workgroup memory. A cache of keys there avoids contention in storage, and a frequent key is only read. A key without
// a slot in the cache is looked up in storage each time.
#import group_by/shared/io
#import lib/lane/hash
#import group_by/key_bits/*
#import group_by/shared/search
#import group_by/shared/places

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> key_vectors: array<vec4<u32>>;

// Slots in workgroup memory, a power of two, and the slots to probe for a key: two that are half of the memory apart, and the next two.
override SEEN: u32 = 1024u;
const PROBES: u32 = 4u;

var<workgroup> seen: array<atomic<u32>, SEEN>;
var<workgroup> has_greatest: atomic<u32>;

// Returns the key of a pair; past the end, of the last pair.
fn key_at(at: u32) -> u32 { return keys[params.first + min(at, params.len - 1u)]; }

// Returns the keys of four pairs. Fours begin at whole vectors, so the first one may begin before the first pair.
fn four_keys(four: u32) -> vec4<u32> {
    let at = 4u * four - (params.first & 3u);
    if at < params.len && params.len - at >= 4u {
        return key_vectors[(params.first >> 2u) + four];
    }
    return vec4<u32>(key_at(at), key_at(at + 1u), key_at(at + 2u), key_at(at + 3u));
}

// Appends a new key to the list.
fn add_to_list(key: u32) {
    let nth = atomicAdd(&places[2u * number_at()], 1u);
    if nth < GROUPS {
        lists[nth] = key;
    }
}

fn are_too_many() -> bool { return atomicLoad(&places[2u * number_at()]) > GROUPS; }

// Inserts a key into the table if it is not there. Invocations that claim slots concurrently may fill the table before their count is seen, so a long
// probe checks the count, too.
fn put_into_table(key: u32, hashed: u32) {
    var at = 2u * place_of(hashed, PLACES / 2u);
    for (var i = 0u; i < PLACES;) {
        var found = atomicLoad(&places[2u * at]);
        if (found == EMPTY_SLOT || (i & 15u) == 15u) && are_too_many() {
            return;
        }
        if found == EMPTY_SLOT {
            let taken = atomicCompareExchangeWeak(&places[2u * at], EMPTY_SLOT, key);
            if taken.exchanged {
                add_to_list(key);
                return;
            }
            found = taken.old_value;
        }
        if found == key {
            return;
        }
        // The exchange may fail although the slot is free.
        if found != EMPTY_SLOT {
            at = (at + 1u) & (PLACES - 1u);
            i += 1u;
        }
    }
}

fn insert_greatest() {
    if atomicExchange(&has_greatest, 1u) == 0u && atomicExchange(&places[2u * PLACES], 0u) == EMPTY_SLOT {
        add_to_list(EMPTY_SLOT);
    }
}

// A key that may be new.
fn insert_local(key: u32, hashed: u32) {
    if key == EMPTY_SLOT {
        if atomicLoad(&has_greatest) == 0u {
            insert_greatest();
        }
        return;
    }
    for (var i = 0u; i < PROBES; i++) {
        let at = ((place_of(hashed, SEEN / 2u) + (i >> 1u)) & (SEEN / 2u - 1u)) + (i & 1u) * (SEEN / 2u);
        var found = atomicLoad(&seen[at]);
        if found == EMPTY_SLOT {
            let taken = atomicCompareExchangeWeak(&seen[at], EMPTY_SLOT, key);
            if taken.exchanged {
                break;
            }
            found = taken.old_value;
        }
        if found == key {
            return;
        }
    }
    put_into_table(key, hashed);
}

fn seen_at(at: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(atomicLoad(&seen[at.x]), atomicLoad(&seen[at.y]), atomicLoad(&seen[at.z]), atomicLoad(&seen[at.w]));
}

fn insert_four(bits: vec4<u32>) {
    let four = vec4<u32>(in_order(bits.x), in_order(bits.y), in_order(bits.z), in_order(bits.w));
    let hashed = vec4<u32>(hash(four.x), hash(four.y), hash(four.z), hash(four.w));
    #for c in x y z w: let first_$c = place_of(hashed.$c, SEEN / 2u);
    let first = vec4<u32>(first_x, first_y, first_z, first_w);
    let is_farther = seen_at(first) != four;
    // Keys found at once all read word 0: a broadcast, without bank conflicts.
    let second = select(vec4<u32>(0u), first + vec4<u32>(SEEN / 2u), is_farther);
    let is_new = (is_farther & (seen_at(second) != four)) | (four == vec4<u32>(EMPTY_SLOT));
    if any(is_new) {
        #for c in x y z w: if is_new.$c { insert_local(four.$c, hashed.$c); }
    }
}

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let group = group_index(workgroup);
    for (var i = lid; i < SEEN; i += WG) {
        atomicStore(&seen[i], EMPTY_SLOT);
    }
    if lid == 0u {
        atomicStore(&has_greatest, 0u);
    }
    workgroupBarrier();
    if (group >= params.groups) | (params.len == 0u) {
        return;
    }
    // The next keys are in flight while these are looked up.
    var next_four = four_keys(group * WG + lid);
    for (var step = 0u; step < params.steps; step++) {
        let four = next_four;
        next_four = four_keys(((step + 1u) * params.groups + group) * WG + lid);
        insert_four(four);
    }
}
