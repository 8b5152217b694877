// The pairs of a dispatch: values with their ids, four at a time where both lie in whole vectors.
#import group/shared/io
#import group/ids/*

// The id of no pair.
const NOWHERE: u32 = 0xffffffffu;

// Four pairs, or fewer: `number` of them. The others have the id NOWHERE.
struct FourPairs {
    id: vec4<u32>,
    bits: vec4<u32>,
    number: u32,
    // False if `id` has what ids are found by.
    has_ids: bool,
}

// The four pairs of a number, without those past the end. Fours begin at whole vectors of values: the first of them may begin before the first pair.
fn load(four: u32) -> FourPairs {
    let begin = 4u * four - (params.first & 3u);
    if begin < params.len && params.len - begin >= 4u && ((params.first ^ params.second) & 3u) == 0u {
        return FourPairs(id_vector((params.second >> 2u) + four), value_vectors[(params.first >> 2u) + four], 4u, ARE_IDS);
    }
    var loaded = FourPairs(vec4<u32>(NOWHERE), vec4<u32>(0u), 0u, true);
    for (var i = 0u; i < 4u; i++) {
        let pair = begin + i;
        loaded = turned(loaded);
        if pair < params.len {
            loaded.id.w = id_at(params.second + pair);
            loaded.bits.w = values[params.first + pair];
            loaded.number += 1u;
        }
    }
    return loaded;
}

// The pairs with their ids. Looking these up is left until they are needed, when the next pairs are in flight.
fn with_ids(four: FourPairs) -> FourPairs {
    if four.has_ids {
        return four;
    }
    return FourPairs(ids_of(four.id), four.bits, four.number, true);
}

// The next pair comes first.
fn turned(four: FourPairs) -> FourPairs { return FourPairs(four.id.yzwx, four.bits.yzwx, four.number, four.has_ids); }

// The number of pairs whose id no group has.
fn out_of_range(four: FourPairs) -> u32 {
    let are = select(vec4<u32>(0u), vec4<u32>(1u), four.id >= vec4<u32>(GROUPS));
    return are.x + are.y + are.z + are.w - (4u - four.number);
}
