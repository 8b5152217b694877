// The ids of keys in a table of the workgroup's own, made of the one in storage (group_by/collect.wgsl). A lookup in storage takes a sector of
// the cache, one in this memory a word of a bank.
//
// A word has the entries of the keys at two places, 16 bits each: bits of the key's hash, its tag, above its id. Every key of the input is in the table in
// storage, so a tag only has to tell the keys of a word apart. A key that is not at its first two places, or shares its tag with the other one, is looked up in
// storage; so are all if there are too many.
#import group/shared/io
#import group/shared/pair_keys
#import group_by/shared/lookup

// Words, a power of two.
override LOCAL_TABLE: u32 = 2u;

// An entry, and a word, of no key. The entries of a key have smaller ids.
const NO_ENTRY: u32 = 0xffffu;
const NO_ENTRIES: u32 = 0xffffffffu;

var<workgroup> near: array<atomic<u32>, LOCAL_TABLE>;

// Bits of an id. None has ones only.
fn id_bits() -> u32 { return 32u - countLeadingZeros(GROUPS); }

// The tag of a hash: the bits behind those of its place, above the bits of an id.
fn tag_of(hashed: u32) -> u32 {
    let behind = hashed << (31u - countLeadingZeros(LOCAL_TABLE));
    return (behind >> 16u) & ~((1u << id_bits()) - 1u);
}

// True if both entries have one tag.
fn is_alike(entry: u32, other: u32) -> bool { return ((entry ^ other) >> id_bits()) == 0u; }

// The entry of a key at one of two places, if it belongs there.
fn entry_of(hashed: u32, id: u32, two: u32) -> u32 {
    return select(NO_ENTRY, tag_of(hashed) | id, id < GROUPS && place_of(hashed, LOCAL_TABLE) == two);
}

// Drops entries that would be taken for those of a key that is farther from its first two places.
fn drop_alike(hashed: u32, id: u32, two: u32) {
    let first = place_of(hashed, LOCAL_TABLE);
    if id < GROUPS && first != two {
        let word = atomicLoad(&near[first]);
        if is_alike(word & NO_ENTRY, tag_of(hashed)) || is_alike(word >> 16u, tag_of(hashed)) {
            atomicStore(&near[first], NO_ENTRIES);
        }
    }
}

// Fills the table. A barrier has to follow.
fn begin_ids(lid: u32) {
    // The key of the greatest hash takes a free place. `behind` has its id and the number of keys.
    let behind = places[LOCAL_TABLE];
    let for_greatest = place_of(EMPTY_SLOT, LOCAL_TABLE);
    for (var two = lid; two < LOCAL_TABLE; two += WG) {
        let there = places[two];
        let last = select(there.w, behind.y, two == for_greatest && there.w == EMPTY_SLOT);
        let low = entry_of(there.x, there.y, two);
        let high = entry_of(there.z, last, two);
        atomicStore(&near[two], select(low | (high << 16u), NO_ENTRIES, is_alike(low, high) || behind.z > GROUPS));
    }
    workgroupBarrier();
    for (var two = lid; two < LOCAL_TABLE; two += WG) {
        let there = places[two];
        drop_alike(there.x, there.y, two);
        drop_alike(there.z, there.w, two);
    }
    if lid == 0u && places[for_greatest].w != EMPTY_SLOT {
        drop_alike(EMPTY_SLOT, behind.y, LOCAL_TABLE);
    }
}

fn id_at(at: u32) -> u32 { return id_in_storage(hash_of(keys[at])); }

fn ids_of(bits: vec4<u32>) -> vec4<u32> {
    let hashed = hashes_of(bits);
    // Loads for four keys are in flight at once.
    #for c in x y z w: let $c = atomicLoad(&near[place_of(hashed.$c, LOCAL_TABLE)]);
    let there = vec4<u32>(x, y, z, w);
    let tags = vec4<u32>(tag_of(hashed.x), tag_of(hashed.y), tag_of(hashed.z), tag_of(hashed.w));
    let low = (there & vec4<u32>(NO_ENTRY)) ^ tags;
    let high = (there >> vec4<u32>(16u)) ^ tags;
    var ids = select(high, low, low < vec4<u32>(GROUPS));
    let is_other = ids >= vec4<u32>(GROUPS);
    if any(is_other) {
        #for c in x y z w: if is_other.$c { ids.$c = id_in_storage(hashed.$c); }
    }
    return ids;
}
