// The inputs: values, and the ids of their groups.
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(3) var<storage, read> value_vectors: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read> ids: array<u32>;
@group(0) @binding(6) var<storage, read> id_vectors: array<vec4<u32>>;

fn id_at(at: u32) -> u32 { return ids[at]; }
fn four_ids_at(vector: u32) -> vec4<u32> { return id_vectors[vector]; }

// Prepares the ids. A barrier has to follow.
fn begin_ids(lid: u32) {}
