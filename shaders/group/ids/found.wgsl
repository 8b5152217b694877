// The ids of keys in the table in storage.
#import group/shared/pair_keys
#import group_by/shared/lookup

fn begin_ids(lid: u32) {}
fn id_at(at: u32) -> u32 { return id_in_storage(hash_of(keys[at])); }

fn ids_of(bits: vec4<u32>) -> vec4<u32> {
    let four = hashes_of(bits);
    #for c in x y z w: let at_$c = two_places_of(four.$c);
    // Four loads are in flight at once.
    #for c in x y z w: let $c = places[at_$c];
    return vec4<u32>(
        #for c in x y z w: id_from(four.$c, at_$c, $c, false),
    );
}
