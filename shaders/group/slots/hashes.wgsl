// Slots of groups in a workgroup's table: a hash table of the keys of a part, in the order of their first pairs.
//
// All hashes of a part have the same highest bits. The others, and a bit to tell them from a free slot, are the tag of a key. It is looked for, and takes
// a free slot, at a few places. A key without a slot is added to storage each time.
#import group/shared/integers
#import group/shared/pairs
#import group/shared/parted_pairs
#import group/shared/states
#import group/shared/table_words
#import group_by/shared/local_table
#import group_by/shared/lookup

const PROBES: u32 = 16u;

fn part_bits() -> u32 { return countTrailingZeros(PARTS); }

// The id of the key in a slot.
fn id_of(slot: u32, slice: Slice) -> u32 { return id_in_storage((slice.first << (32u - part_bits())) | (atomicLoad(&words[slot]) >> part_bits())); }

// Finds or takes the slot of a pair. Without one, the pair is added to storage.
fn slot_of(hashed: u32, bits: u32, tag: u32) -> u32 {
    let slot = take_slot(tag, place_of(tag, SLOTS / 2u)).at;
    if slot == NO_SLOT {
        let id = id_in_storage(hashed);
        add_pair(id, bits);
        add_rejected(select(0u, 1u, id >= GROUPS));
    }
    return slot;
}

fn slots_of(four: FourPairs, slice: Slice) -> vec4<u32> {
    let tags = (four.id << vec4<u32>(part_bits())) | vec4<u32>(1u);
    let first = vec4<u32>(
        #for c in x y z w: place_of(tags.$c, SLOTS / 2u),
    );
    var slots = find_slots(tags, first);
    if any(slots == vec4<u32>(NO_SLOT)) || four.number < 4u {
#for k in 0..4
        if !is_pair(four.id[$k], four.number, $(k)u) {
            slots[$k] = NO_SLOT;
        } else if slots[$k] == NO_SLOT {
            slots[$k] = slot_of(four.id[$k], four.bits[$k], tags[$k]);
        }
#end
    }
    return slots;
}
