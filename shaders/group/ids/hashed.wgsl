// The hashes of keys, in the place of ids: their highest bits are the part of a pair.
#import group/shared/pair_keys

fn id_at(at: u32) -> u32 { return hash_of(keys[at]); }
fn ids_of(bits: vec4<u32>) -> vec4<u32> { return hashes_of(bits); }
