// The inputs, if ids are not given: the keys of groups, and values. A key stands for itself as the hash of its place in the order of keys.
#import lib/lane/hash
#import group_by/key_bits/*

@group(0) @binding(0) var<storage, read> keys: array<u32>;
@group(0) @binding(3) var<storage, read> key_vectors: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> values: array<u32>;
@group(0) @binding(6) var<storage, read> value_vectors: array<vec4<u32>>;

// What is read are keys.
const ARE_IDS: bool = false;

fn id_vector(vector: u32) -> vec4<u32> { return key_vectors[vector]; }
fn hash_of(bits: u32) -> u32 { return hash(in_order(bits)); }
fn hashes_of(bits: vec4<u32>) -> vec4<u32> { return vec4<u32>(hash_of(bits.x), hash_of(bits.y), hash_of(bits.z), hash_of(bits.w)); }
