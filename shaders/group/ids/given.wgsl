// The inputs: values, and the ids of their groups.
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(3) var<storage, read> value_vectors: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> ids: array<u32>;
@group(0) @binding(6) var<storage, read> id_vectors: array<vec4<u32>>;

// What is read are the ids.
const ARE_IDS: bool = true;

fn id_at(at: u32) -> u32 { return ids[at]; }
fn id_vector(vector: u32) -> vec4<u32> { return id_vectors[vector]; }
fn ids_of(four: vec4<u32>) -> vec4<u32> { return four; }

// Prepares the ids. A barrier has to follow.
fn begin_ids(lid: u32) {}
