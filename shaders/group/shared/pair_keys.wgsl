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

fn key_at(at: u32) -> u32 { return in_order(keys[at]); }

fn four_keys_at(vector: u32) -> vec4<u32> {
    let bits = key_vectors[vector];
    return vec4<u32>(in_order(bits.x), in_order(bits.y), in_order(bits.z), in_order(bits.w));
}

// The two places where a key is looked for first, by their number among these.
fn two_places_of(key: u32) -> u32 { return hash(key) & (PLACES / 2u - 1u); }
fn next_two(two: u32) -> u32 { return (two + 1u) & (PLACES / 2u - 1u); }

fn four_places_of(four: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(two_places_of(four.x), two_places_of(four.y), two_places_of(four.z), two_places_of(four.w));
}
