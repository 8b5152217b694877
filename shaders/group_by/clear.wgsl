// clear: a table without keys. Writes two words for each place.
#import group_by/shared/io
#import group_by/shared/places

@compute @workgroup_size(WG)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(local_invocation_index) lid: u32) {
    let word = group_index(workgroup) * WG + lid;
    if word < 2u * PLACES + 4u {
        atomicStore(&places[word], select(EMPTY_SLOT, 0u, word == 2u * number_at()));
    }
}
