// Lookups in the table of keys. group_by/collect.wgsl explains it.
#import lib/lane/hash

// The hash at each place, and its id: two places each. Behind the places is that of the greatest hash.
@group(0) @binding(9) var<storage, read> places: array<vec4<u32>>;

// Places, a power of two.
override PLACES: u32 = 4u;

// A place that has no key; and the id of no group.
const EMPTY_SLOT: u32 = 0xffffffffu;

// The two places where a key is looked for first, by their number among these.
fn two_places_of(hashed: u32) -> u32 { return place_of(hashed, PLACES / 2u); }

// Returns the id of a key. Most keys are at the first two places. A search ends at a free place, and at a key beyond the allowed number, as neither has
// an id. A listed key may be behind such a key, so its search goes on.
fn id_from(hashed: u32, first: u32, there: vec4<u32>, is_listed: bool) -> u32 {
    if hashed == EMPTY_SLOT {
        return places[PLACES / 2u].y;
    }
    var found = there;
    var two = first;
    for (var i = 0u; i < PLACES && found.x != hashed && found.z != hashed && (is_listed || found.w != EMPTY_SLOT); i++) {
        two = (two + 1u) & (PLACES / 2u - 1u);
        found = places[two];
    }
    return select(select(EMPTY_SLOT, found.w, found.z == hashed), found.y, found.x == hashed);
}

fn id_in_storage(hashed: u32) -> u32 { return id_from(hashed, two_places_of(hashed), places[two_places_of(hashed)], false); }
