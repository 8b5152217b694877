// The ids of keys in the table in storage.
#import group/shared/pair_keys

// What is read are keys.
const ARE_IDS: bool = false;

fn ids_of(bits: vec4<u32>) -> vec4<u32> {
    let four = four_in_order(bits);
    #for c in x y z w: let at_$c = two_places_of(four.$c);
    // Four loads are in flight at once.
    #for c in x y z w: let $c = places[at_$c];
    return vec4<u32>(
        #for c in x y z w: id_from(four.$c, at_$c, $c),
    );
}

fn begin_ids(lid: u32) {}
