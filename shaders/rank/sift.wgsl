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
// An addition to storage takes long, and all workgroups add to the same words. So a workgroup takes several tiles in a row, a part of the
// input. It keeps the counts and the candidates in workgroup memory, and reserves room in storage for all of them at once. The candidates of a rank come
// in any order; the rank among them does not depend on it.
//
// The read should take no longer than a sum. Integer instructions are what it is short of, so everything that happens to every element
// is counted: four make the key, one keeps the highest, which tells of NaNs, and a bracket takes five, or some more where candidates are.
//
// Beyond the documents. CUB's DeviceTopK counts the digits of all keys first, and reads them again for each digit.
#import io
#import input
#import input_words
#import keys
#import stage
#import key_order
#import four_keys
#import tile

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    own_row = workgroup.y;
    let row = row_of(own_row);
    begin_row(lid);
    if !is_needed() {
        return;
    }
    for (var part = workgroup.x; part < params.here; part += params.groups) {
        begin_part(lid);
        // The few elements before the first whole vector and after the last belong to the first and to the last part.
        if part == 0u {
            sort_out_one(row, row.begin + lid, lid < head(row));
        }
        if part + 1u == params.here {
            sort_out_one(row, 4u * row.end4 + lid, lid < tail(row));
        }
        let begin = row.begin4 + part * params.span;
        let end = min(begin + params.span, row.end4);
        var at = begin + lid;
        for (var tile = 0u; tile < params.tiles; tile++) {
            count_all(load(at, end), valid_of(at, end), 4u * at - row.begin);
            at += 4u * WG;
        }
        end_part(part, lid);
    }
    end_row(lid);
}

fn sort_out_one(row: RowPart, at: u32, is_one: bool) {
    var key = lowest();
    if is_one {
        key = element(at);
    }
    let keys = four(key, key, key, key);
    count_keys(FourKeys(keys, keys, keys, keys), select(0u, 1u, is_one), at - row.begin);
}
