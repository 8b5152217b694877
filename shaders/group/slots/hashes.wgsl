// Slots of groups in a workgroup's table: a hash table of the keys of a part, in the order of their first pairs.
//
// All hashes of a part have the same highest bits. The others, and a bit to tell them from a free slot, are the tag of a key. It is looked for, and takes
// a free slot, at a few places. A key without a slot is added to storage each time.
#import group/shared/integers
#import group/shared/pairs
#import group/shared/parted_pairs
#import group/shared/states
#import group/shared/table_words
#import group_by/shared/lookup

// Slots to probe: two that are half of the table apart, and those behind them.
const PROBES: u32 = 16u;

var<workgroup> tags: array<atomic<u32>, SLICE>;

fn begin_slots(lid: u32) {
    for (var slot = lid; slot < SLICE; slot += WG) {
        atomicStore(&tags[slot], 0u);
    }
}

fn part_bits() -> u32 { return countTrailingZeros(PARTS); }

// The id of the key in a slot.
fn id_of(slot: u32, slice: Slice) -> u32 {
    return id_in_storage((slice.first << (32u - part_bits())) | (atomicLoad(&tags[slot]) >> part_bits()));
}

// Finds or takes a slot for a pair. Without one, adds the pair to storage, and returns NOWHERE.
fn take_slot(hashed: u32, bits: u32) -> u32 {
    let tag = (hashed << part_bits()) | 1u;
    for (var i = 0u; i < PROBES; i++) {
        let slot = ((place_of(tag, SLICE / 2u) + (i >> 1u)) & (SLICE / 2u - 1u)) + (i & 1u) * (SLICE / 2u);
        var found = atomicLoad(&tags[slot]);
        if found == 0u {
            // An exchange may fail although the slot is free. The key may then have two.
            let taken = atomicCompareExchangeWeak(&tags[slot], 0u, tag);
            found = select(taken.old_value, tag, taken.exchanged);
        }
        if found == tag {
            return slot;
        }
    }
    let id = id_in_storage(hashed);
    add_pair(id, bits);
    add_rejected(select(0u, 1u, id >= GROUPS));
    return NOWHERE;
}

fn tags_at(at: vec4<u32>) -> vec4<u32> {
    return vec4<u32>(atomicLoad(&tags[at.x]), atomicLoad(&tags[at.y]), atomicLoad(&tags[at.z]), atomicLoad(&tags[at.w]));
}

fn slots_of(four: FourPairs, slice: Slice) -> vec4<u32> {
    let own = (four.id << vec4<u32>(part_bits())) | vec4<u32>(1u);
    var slots = vec4<u32>(
        #for c in x y z w: place_of(own.$c, SLICE / 2u),
    );
    let is_farther = tags_at(slots) != own;
    slots += select(vec4<u32>(0u), vec4<u32>(SLICE / 2u), is_farther);
    let is_new = is_farther & (tags_at(slots) != own);
    if any(is_new) || four.number < 4u {
#for k in 0..4
        if !is_pair(four.id[$k], four.number, $(k)u) {
            slots[$k] = NOWHERE;
        } else if is_new[$k] {
            slots[$k] = take_slot(four.id[$k], four.bits[$k]);
        }
#end
    }
    return slots;
}
