// The inputs, if ids are not given: the keys of groups, and values; and the table of keys with their ids (group_by/collect.wgsl).
#import lib/lane/hash
#import group_by/key_bits/*

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> key_vectors: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> values: array<u32>;
@group(0) @binding(6) var<storage, read> value_vectors: array<vec4<u32>>;
// The key at each place, and its id: two places each. Behind the places for other keys is that of the greatest key.
@group(0) @binding(9) var<storage, read> places: array<vec4<u32>>;

// Places for other keys, a power of two.
override PLACES: u32 = 4u;

// A place that has no key; and the id of no group.
const EMPTY_SLOT: u32 = 0xffffffffu;

fn id_at(at: u32) -> u32 { return id_in_storage(in_order(keys[at])); }

fn id_vector(vector: u32) -> vec4<u32> { return key_vectors[vector]; }

fn four_in_order(bits: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(in_order(bits.x), in_order(bits.y), in_order(bits.z), in_order(bits.w));
}

// The two places where a key is looked for first, by their number among these.
fn two_places_of(key: u32) -> u32 { return place_of(hash(key), PLACES / 2u); }

// The id of a key. Most are at the first two places. A free place, and one whose key exceeds the allowed number, has no id: the search ends.
fn id_from(key: u32, first: u32, there: vec4<u32>) -> u32 {
    if key == EMPTY_SLOT {
        return places[PLACES / 2u].y;
    }
    var found = there;
    var two = first;
    for (var i = 0u; i < PLACES && found.x != key && found.z != key && found.w != EMPTY_SLOT; i++) {
        two = (two + 1u) & (PLACES / 2u - 1u);
        found = places[two];
    }
    return select(select(EMPTY_SLOT, found.w, found.z == key), found.y, found.x == key);
}

fn id_in_storage(key: u32) -> u32 {
    let first = two_places_of(key);
    return id_from(key, first, places[first]);
}
