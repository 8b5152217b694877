// sift: writes the candidates of each rank, and counts the other elements.
//
// Reads each element once. Writes candidates, about 1/64 of the input per rank, and adds counts to each rank's state.
//
// The sample has given each rank a bracket: two keys between which the rank's element almost surely lies. An element is one of five kinds:
//
//     below the bracket | equal to its low end | between the ends | equal to its high end | above
//         counted             counted                written             counted               ignored
//
// The counts give the rank among the elements between the ends. Elements equal to an end are only counted: if half of all elements are
// zero, they would overflow the candidates.
//
// Atomic additions to storage are slow, and all workgroups add to the same words. So a workgroup keeps the counts and
// candidates of a part, several tiles, in workgroup memory, and reserves room in storage once a part. The order of candidates does not affect their ranks.
//
// Cost: integer instructions. An element takes four for its key and one for NaNs, and five more per bracket.
#import rank/shared/io
#import rank/shared/grid_entry
#import rank/shared/input
#import rank/shared/input_words
#import rank/keys/*
#import rank/stage/*
#import rank/order/*
#import rank/shared/four_keys

fn kernel(workgroup: vec2<u32>, lid: u32) {
    let number = workgroup.y;
    let row = row_of(number);
    if !begin_row(number, lid) {
        return;
    }
    var counts = Counts();
    for (var part = workgroup.x; part < params.here; part += params.grid_row) {
        begin_part(lid, &counts);
        // The few elements before the first whole vector and after the last belong to the first and to the last part.
        if part == 0u {
            classify_tail_element(number, row.begin + lid, lid < head(row), &counts);
        }
        if part + 1u == params.here {
            classify_tail_element(number, 4u * row.end4 + lid, lid < tail(row), &counts);
        }
        let begin = row.begin4 + part * params.span;
        let end = min(begin + params.span, row.end4);
        for (var first = begin; first < end; first += 4u * WG) {
            let at = first + lid;
            count_keys(number, load(at, end), valid_of(at, end), 4u * at - row.begin, &counts);
        }
        end_part(number, part, lid, counts);
    }
    end_row(number, lid, counts);
}

fn classify_tail_element(row: u32, at: u32, is_one: bool, counts: ptr<function, Counts>) {
    var key = lowest();
    if is_one {
        key = element(at);
    }
    let keys = four(key, key, key, key);
    count_keys(row, FourKeys(keys, keys, keys, keys), select(0u, 1u, is_one), at - row_of(row).begin, counts);
}

// Loads the sixteen elements of an invocation in one step: four vectors, a workgroup apart. In the place of one at or after `end` comes the
// last before it.
fn load(at: u32, end: u32) -> FourKeys {
    let last = end - 1u;
    return FourKeys(
        keys_of_four(vector(min(at, last))),
        keys_of_four(vector(min(at + WG, last))),
        keys_of_four(vector(min(at + 2u * WG, last))),
        keys_of_four(vector(min(at + 3u * WG, last))),
    );
}

// Returns a mask of the elements before `end`.
fn valid_of(at: u32, end: u32) -> u32 {
    return select(0u, 0x000fu, at < end)
        | select(0u, 0x00f0u, at + WG < end)
        | select(0u, 0x0f00u, at + 2u * WG < end)
        | select(0u, 0xf000u, at + 3u * WG < end);
}
