// The ids of keys in a table of the workgroup's own, whose places are those of the table in storage
// (group_by/collect.wgsl). A lookup in storage takes a sector of the cache, one in this memory a word of a bank.
//
// Two ids share a word, and the key of each id is in a list.
#import group/shared/io
#import group/shared/pair_keys

// Words with the ids of two places.
override LOCAL_TABLE: u32 = 2u;

// The 16 bits of the id of no group.
const NO_ID: u32 = 0xffffu;

var<workgroup> near_ids: array<u32, LOCAL_TABLE>;
var<workgroup> near_keys: array<u32, GROUPS>;
var<workgroup> greatest_id: u32;

fn put_key(key: u32, id: u32) {
    if id < GROUPS {
        near_keys[id] = key;
    }
}

// Fills the table. A barrier has to follow.
fn begin_ids(lid: u32) {
    for (var two = lid; two < LOCAL_TABLE; two += WG) {
        let there = places[two];
        near_ids[two] = (there.y & NO_ID) | (there.w << 16u);
        put_key(there.x, there.y);
        put_key(there.z, there.w);
    }
    if lid == 0u {
        greatest_id = places[LOCAL_TABLE].y;
    }
}

// The key of an id; of no id any key.
fn near_key(id: u32) -> u32 { return near_keys[select(id, 0u, id == NO_ID)]; }
fn four_near_keys(ids: vec4<u32>) -> vec4<u32> { return vec4<u32>(near_key(ids.x), near_key(ids.y), near_key(ids.z), near_key(ids.w)); }
fn is_key_of(id: u32, key: u32) -> bool { return id != NO_ID && near_key(id) == key; }

// The id of a key, from two places on.
fn id_from(key: u32, first: u32) -> u32 {
    if key == EMPTY_SLOT {
        return greatest_id;
    }
    var two = first;
    for (var i = 0u; i < LOCAL_TABLE; i++) {
        let ids = near_ids[two];
        if is_key_of(ids & NO_ID, key) {
            return ids & NO_ID;
        }
        if is_key_of(ids >> 16u, key) {
            return ids >> 16u;
        }
        if (ids >> 16u) == NO_ID {
            break;
        }
        two = next_two(two);
    }
    return EMPTY_SLOT;
}

fn id_at(at: u32) -> u32 {
    let key = key_at(at);
    return id_from(key, two_places_of(key));
}

// Most keys are at the first two places where they may be.
fn four_ids_at(vector: u32) -> vec4<u32> {
    let four = four_keys_at(vector);
    let at = four_places_of(four);
    // Loads for four keys are in flight at once.
    let there = vec4<u32>(near_ids[at.x], near_ids[at.y], near_ids[at.z], near_ids[at.w]);
    let a = there & vec4<u32>(NO_ID);
    let b = there >> vec4<u32>(16u);
    let is_a = (four_near_keys(a) == four) & (a != vec4<u32>(NO_ID));
    // A key that is found reads a word of one bank with all others.
    let is_b = !is_a & (b != vec4<u32>(NO_ID)) & (four_near_keys(select(b, vec4<u32>(NO_ID), is_a)) == four);
    var ids = select(b, a, is_a);
    let is_other = !(is_a | is_b);
    if any(is_other) {
        #for c in x y z w: if is_other.$c { ids.$c = id_from(four.$c, at.$c); }
    }
    return ids;
}
