// The ids of keys in the table in storage.
#import group/shared/pair_keys

// The id of a key. Most are at the first two places. A free place, and one whose key exceeds the allowed number, has no id: the search ends.
fn id_from(key: u32, first: u32, there: vec4<u32>) -> u32 {
    if key == EMPTY_SLOT {
        return places[PLACES / 2u].y;
    }
    var found = there;
    var two = first;
    for (var i = 0u; i < PLACES && found.x != key && found.z != key && found.w != EMPTY_SLOT; i++) {
        two = next_two(two);
        found = places[two];
    }
    return select(select(EMPTY_SLOT, found.w, found.z == key), found.y, found.x == key);
}

fn id_at(at: u32) -> u32 {
    let key = key_at(at);
    let first = two_places_of(key);
    return id_from(key, first, places[first]);
}

fn four_ids_at(vector: u32) -> vec4<u32> {
    let four = four_keys_at(vector);
    let at = four_places_of(four);
    // Four loads are in flight at once.
    #for c in x y z w: let $c = places[at.$c];
    return vec4<u32>(
        #for c in x y z w: id_from(four.$c, at.$c, $c),
    );
}

fn begin_ids(lid: u32) {}
