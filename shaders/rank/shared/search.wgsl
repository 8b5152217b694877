// A search in progress: among what, from which key on, and for which rank.
#import rank/shared/io
#import rank/keys/*
#import rank/shared/list
#import rank/shared/ends
#import rank/order/*

struct Search {
    // CANDIDATES or ALL; 0 if it has not begun.
    among: u32,
    // Workgroups that take part.
    groups: u32,
    // The lowest key that is possible, and the bits above it that are unknown: none if it is the key.
    base: Key,
    bits: u32,
    // The rank among the elements from `base` on, and how many of them have a key that is possible.
    left: u32,
    equal: u32,
}

var<workgroup> own_search: Search;

// The search for a rank of a row, the same for the whole workgroup.
fn search_of(rank: u32, lid: u32) -> Search {
    if lid == 0u {
        let base = known_key(rank, BASE);
        var search = Search(known(rank, AMONG), params.grid_row, base, known(rank, BITS), known(rank, LEFT), known(rank, EQUAL));
        if search.among == 0u {
            search = first_search(rank);
        }
        if search.among == CANDIDATES {
            search.groups = clamp(number(rank) / (16u * WG), 1u, params.grid_row);
        }
        own_search = search;
    }
    return workgroupUniformLoad(&own_search);
}

fn keep_search(rank: u32, search: Search) {
    put(rank, AMONG, search.among);
    put_key(rank, BASE, search.base);
    put(rank, BITS, search.bits);
    put(rank, LEFT, search.left);
    put(rank, EQUAL, search.equal);
}

// The place of a rank in its bracket. If it is not there, or not all candidates found room, the search is among all elements.
fn first_search(rank: u32) -> Search {
    let asked = asked_for(rank);
    let low = known_key(rank, LOW);
    let high = known_key(rank, HIGH);
    let at_low = known(rank, AT_LOW);
    let at_high = known(rank, AT_HIGH);
    let between = known(rank, BETWEEN);
    // Elements at the low end are counted as below the first candidate, too.
    let below = known(rank, BELOW) - select(0u, at_low, is_below(low, first_candidate(rank)));
    // A rank past the end has no element, and no result.
    let place = min(asked.x, params.count - 1u);
    let left = place - below;
    // The next element is needed, too, if the result lies between the two.
    let last = left + select(0u, 1u, asked.y != 0u);
    let is_inside = (place >= below) & (last < at_low + between + at_high) & (between <= params.room);
    if !is_inside {
        return Search(ALL, params.grid_row, lowest(), KEY_BITS, place, params.count);
    }
    if left < at_low {
        return Search(CANDIDATES, params.grid_row, low, 0u, left, at_low);
    }
    if left < at_low + between {
        return Search(CANDIDATES, params.grid_row, low, bits_between(low, high), left - at_low, between);
    }
    return Search(CANDIDATES, params.grid_row, high, 0u, left - at_low - between, at_high);
}
