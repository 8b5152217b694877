// The pairs of a dispatch: values with their ids, four at a time where both lie in whole vectors.
#import group/shared/io
#import group/ids/*

// The id of no pair.
const NOWHERE: u32 = 0xffffffffu;

// Four pairs, or fewer: the last `number` of them. The others have the id NOWHERE.
struct FourPairs {
    id: vec4<u32>,
    bits: vec4<u32>,
    number: u32,
    // False if `id` has what ids are found by.
    has_ids: bool,
}

fn no_pairs() -> FourPairs { return FourPairs(vec4<u32>(NOWHERE), vec4<u32>(0u), 0u, true); }

// The four pairs of a number, without those past the end. Fours begin at whole vectors of values: the first of them may begin before the first pair.
fn load(four: u32) -> FourPairs {
    let begin = 4u * four - (params.first & 3u);
    if begin < params.len && params.len - begin >= 4u && ((params.first ^ params.second) & 3u) == 0u {
        return FourPairs(id_vector((params.second >> 2u) + four), value_vectors[(params.first >> 2u) + four], 4u, ARE_IDS);
    }
    var loaded = no_pairs();
    for (var i = 0u; i < 4u; i++) {
        let pair = begin + i;
        if pair < params.len {
            loaded = with_pair(loaded, id_at(params.second + pair), values[params.first + pair]);
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

// Fewer than four pairs, and one more.
fn with_pair(four: FourPairs, id: u32, bits: u32) -> FourPairs {
    return FourPairs(vec4<u32>(four.id.yzw, id), vec4<u32>(four.bits.yzw, bits), four.number + 1u, true);
}

// The next pair comes first.
fn turned(four: FourPairs) -> FourPairs { return FourPairs(four.id.yzwx, four.bits.yzwx, four.number, four.has_ids); }

// The number of pairs whose id no group has.
fn out_of_range(four: FourPairs) -> u32 {
    let are = select(vec4<u32>(0u), vec4<u32>(1u), four.id >= vec4<u32>(GROUPS));
    return are.x + are.y + are.z + are.w - (4u - four.number);
}
