// The ids of keys in a table of the workgroup's own, whose places are those of the table in storage
// (group_by/collect.wgsl). A lookup in storage takes a sector of the cache, one in this memory a word of a bank.
//
// Two ids share a word, and the key of each id is in a list.
#import io
#import pair_keys

// Words with the ids of two places.
override NEAR: u32 = 2u;

// The 16 bits of the id of no group.
const NO_ID: u32 = 0xffffu;

var<workgroup> near_ids: array<u32, NEAR>;
var<workgroup> near_keys: array<u32, GROUPS>;
var<workgroup> greatest_id: u32;

// The id at a place of the table in storage.
fn take_place(place: u32) -> u32 {
    let there = places[place];
    if there.y < GROUPS {
        near_keys[there.y] = there.x;
    }
    return there.y & NO_ID;
}

// Fills the table. A barrier has to follow.
fn begin_ids(lid: u32) {
    for (var i = lid; i < NEAR; i += WG) {
        near_ids[i] = take_place(2u * i) | (take_place(2u * i + 1u) << 16u);
    }
    if lid == 0u {
        greatest_id = places[PLACES].y;
    }
}

fn near_id(place: u32) -> u32 {
    return (near_ids[place >> 1u] >> ((place & 1u) << 4u)) & NO_ID;
}

// The key of an id; of no id another one than that which is looked for.
fn near_key(id: u32, key: u32) -> u32 {
    return select(near_keys[min(id, GROUPS - 1u)], ~key, id == NO_ID);
}

// The id of a key that is not at the first place where it may be.
fn id_behind(key: u32, first: u32) -> u32 {
    if key == FREE {
        return greatest_id;
    }
    var at = first;
    var id = near_id(at);
    for (var i = 0u; i < PLACES && id != NO_ID && near_key(id, key) != key; i++) {
        at = (at + 1u) & (PLACES - 1u);
        id = near_id(at);
    }
    return select(id, FREE, id == NO_ID || near_key(id, key) != key);
}

fn id_at(at: u32) -> u32 {
    let key = key_at(at);
    return id_behind(key, place_of(key));
}

fn four_ids_at(vector: u32) -> vec4<u32> {
    let four = four_keys_at(vector);
    let at = four_places_of(four);
    // Four loads are in flight at once.
    var ids = vec4<u32>(near_id(at.x), near_id(at.y), near_id(at.z), near_id(at.w));
    let found = vec4<u32>(
        near_key(ids.x, four.x),
        near_key(ids.y, four.y),
        near_key(ids.z, four.z),
        near_key(ids.w, four.w),
    );
    let is_other = (found != four) | (four == vec4<u32>(FREE));
    if is_other.x {
        ids.x = id_behind(four.x, at.x);
    }
    if is_other.y {
        ids.y = id_behind(four.y, at.y);
    }
    if is_other.z {
        ids.z = id_behind(four.z, at.z);
    }
    if is_other.w {
        ids.w = id_behind(four.w, at.w);
    }
    return ids;
}
