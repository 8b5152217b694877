// sift: one read of all elements, in which the few that matter are written down.
//
// Of every rank that is asked for, the sample has given a bracket: two keys between which the rank's element lies, almost surely. An
// element is then one of five kinds, and only the number of elements of each counts, except for the third:
//
//     below the bracket | equal to its low end | between the ends | equal to its high end | above
//         counted             counted              written down        counted
//
// With the counts, the rank among those between the ends is known, and what remains is a search among a sixty-fourth of the input.
// Elements equal to an end are only counted, because there may be any number of them: where half of all elements are zero, zero is
// an end of the bracket, and not among the candidates.
//
// An addition to storage takes long, and all workgroups add to the same words. So a workgroup takes several tiles in a row, keeps its
// counts and its candidates in workgroup memory, and reserves room in storage for many of them at once. The candidates of a rank come
// in any order; the rank among them does not depend on it.
//
// The read should take no longer than a sum. Integer instructions are what it is short of, so everything that happens to every element
// is counted: four make the key, one looks for NaNs, and each bracket takes five.
//
// Beyond the documents. CUB's DeviceTopK counts the digits of all keys first, and reads them again for each digit.
#import io
#import input
#import keys
#import stage

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
#ifdef subgroups
    @builtin(subgroup_invocation_id) lane: u32,
#endif
) {
#ifdef subgroups
    own_lane = lane;
#endif
    own_row = workgroup.y;
    let row = row_of(own_row);
    prepare(lid);
    if !is_needed() {
        return;
    }

    // The few elements before the first whole vector and after the last belong to the first and to the last workgroup.
    if workgroup.x == 0u {
        sort_out_one(row, row.begin + lid, lid < head(row));
    }
    if workgroup.x + 1u == params.groups {
        sort_out_one(row, 4u * row.end4 + lid, lid < tail(row));
    }
    // A tile has four vectors for each invocation. They are loaded while those of the tile before are sorted out.
    let begin = row.begin4 + workgroup.x * params.span;
    let end = min(begin + params.span, row.end4);
    var at = begin + lid;
    var tile = load(at, end);
    for (var i = 0u; i < params.tiles; i++) {
        let next = load(at + 4u * WG, end);
        sort_out(tile, at, end, row);
        make_room(lid);
        at += 4u * WG;
        tile = next;
    }
    finish(workgroup.x, lid);
}

struct FourVectors {
    a: vec4<u32>,
    b: vec4<u32>,
    c: vec4<u32>,
    d: vec4<u32>,
}

fn load(at: u32, end: u32) -> FourVectors {
    let last = max(end, 1u) - 1u;
    return FourVectors(
        vectors[min(at, last)],
        vectors[min(at + WG, last)],
        vectors[min(at + 2u * WG, last)],
        vectors[min(at + 3u * WG, last)],
    );
}

fn keys_of(words: vec4<u32>) -> vec4<u32> {
    return vec4(key_of(words.x), key_of(words.y), key_of(words.z), key_of(words.w));
}

fn sort_out(tile: FourVectors, at: u32, end: u32, row: RowPart) {
    let keys = FourVectors(keys_of(tile.a), keys_of(tile.b), keys_of(tile.c), keys_of(tile.d));
    let valid = vec4(at < end, at + WG < end, at + 2u * WG < end, at + 3u * WG < end);
    watch(keys.a, valid.x);
    watch(keys.b, valid.y);
    watch(keys.c, valid.z);
    watch(keys.d, valid.w);
    let index = 4u * at - row.begin;
    for (var rank = 0u; rank < RANKS; rank++) {
        begin_rank(rank);
        weigh(keys.a, valid.x, index);
        weigh(keys.b, valid.y, index + 4u * WG);
        weigh(keys.c, valid.z, index + 8u * WG);
        weigh(keys.d, valid.w, index + 12u * WG);
        end_rank(rank);
    }
}

fn sort_out_one(row: RowPart, at: u32, is_one: bool) {
    var key = lowest();
    if is_one {
        key = key_of(words[at]);
    }
    watch(vec4(key), is_one);
    for (var rank = 0u; rank < RANKS; rank++) {
        begin_rank(rank);
        if is_one {
            weigh_one(key, at - row.begin);
        }
        end_rank(rank);
    }
}
