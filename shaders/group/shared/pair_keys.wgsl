// The inputs, if ids are not given: the keys of groups, and values; and the table of keys with their ids (group_by/collect.wgsl).
#import hash
#import key_bits

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> key_vectors: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> values: array<u32>;
@group(0) @binding(6) var<storage, read> value_vectors: array<vec4<u32>>;
// The key at each place, and its id. The greatest key is behind the places for others.
@group(0) @binding(9) var<storage, read> places: array<vec2<u32>>;

// Places for other keys, a power of two.
override PLACES: u32 = 4u;

// A place that has no key; and the id of no group.
const FREE: u32 = 0xffffffffu;

fn key_at(at: u32) -> u32 {
    return in_order(keys[at]);
}

fn four_keys_at(vector: u32) -> vec4<u32> {
    let bits = key_vectors[vector];
    return vec4<u32>(in_order(bits.x), in_order(bits.y), in_order(bits.z), in_order(bits.w));
}

// The places where keys are looked for first.
fn place_of(key: u32) -> u32 {
    return hash(key) & (PLACES - 1u);
}

fn four_places_of(four: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(place_of(four.x), place_of(four.y), place_of(four.z), place_of(four.w));
}
