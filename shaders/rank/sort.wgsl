// sort: the candidates of the k first elements, in tiles of which each is in order.
//
// Reads and writes each candidate once, a key and an index.
//
//     7 2 9 4 | 5 1 8 3      an invocation sorts four
//     2 4 7 9 | 1 3 5 8      as long as there are runs, two of them become one
//     1 2 3 4   5 7 8 9
//
// Cost: eight rounds in workgroup memory, each with two barriers.
#import rank/shared/io
#import rank/shared/grid_entry
#import rank/keys/*
#import rank/shared/ends
#import rank/shared/merge_tile

fn kernel(workgroup: vec2<u32>, lid: u32) {
    let stop = number(workgroup.y);
    let source = workgroup.y * params.room;
    let own = ITEMS_PER_LANE * lid;
    for (var first = workgroup.x * SPAN; first < params.room; first += params.grid_row * SPAN) {
        for (var i = lid; i < SPAN; i += WG) {
            // Past the end come candidates that are after all others.
            var candidate = Candidate(highest(), 0xffffffffu);
            if first + i < stop {
                candidate = candidate_at(source + first + i);
            }
            put_in_tile(i, candidate);
        }
        workgroupBarrier();
        sort_four(own);
        workgroupBarrier();
        for (var run = ITEMS_PER_LANE; run < SPAN; run *= 2u) {
            let begin = own & ~(2u * run - 1u);
            var runs = runs_at(own - begin, begin, begin + run, begin + 2u * run);
            #for k in 0..4: let v$k = take(&runs);
            workgroupBarrier();
            #for k in 0..4: put_in_tile(own + $(k)u, v$k);
            workgroupBarrier();
        }
        for (var i = lid; i < SPAN; i += WG) {
            if first + i < stop {
                put_candidate(source + first + i, tile_at(i));
            }
        }
        workgroupBarrier();
    }
}

fn sort_four(first: u32) {
    for (var i = 1u; i < ITEMS_PER_LANE; i++) {
        let candidate = tile_at(first + i);
        var at = i;
        while at > 0u {
            let other = tile_at(first + at - 1u);
            if is_before(other, candidate) {
                break;
            }
            put_in_tile(first + at, other);
            at -= 1u;
        }
        put_in_tile(first + at, candidate);
    }
}
