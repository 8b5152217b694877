// merge: merges sorted lists of candidates, here called runs, two at a time.
//
// Reads and writes each candidate once. The last dispatch writes only the first k results, padded if there are fewer.
//
//     two runs      2 4 7 9 | 1 3 5 8      tiles of four elements
//     tile 0        1 2 3 4                two of each run
//     tile 1        5 7 8 9
//
// For each output tile, a workgroup finds its range of both runs and merges them in workgroup memory. A load takes as long as a hundred
// instructions, so each half of a workgroup searches for one end of the range together, in two or three steps.
//
// Candidates alternate between two halves of their memory. The host records the most dispatches needed; surplus ones return at once.
//
// Cost: log2(candidates / `SPAN`) dispatches, at least one.
#import rank/shared/io
#import rank/shared/grid_entry
#import rank/keys/*
#import rank/shared/ends
#import rank/shared/merge_tile
#import rank/shared/winners

var<workgroup> candidates_of_row: u32;
// Counts of the first run's candidates before the tile's start, and before its end.
var<workgroup> cuts: array<atomic<u32>, 2>;

fn kernel(workgroup: vec2<u32>, lid: u32) {
    let row = workgroup.y;
    if lid == 0u {
        candidates_of_row = number(row);
    }
    let stop = workgroupUniformLoad(&candidates_of_row);
    let run = SPAN << params.round;
    if (params.round > 0u) & (run >= stop) {
        return;
    }
    let half = params.rows * params.room;
    let is_odd = (params.round & 1u) == 1u;
    let source = row * params.room + select(0u, half, is_odd);
    let destination = row * params.room + select(half, 0u, is_odd);
    let results = (params.row + row) * params.k;
    let is_last = stop <= 2u * run;
    for (var at = workgroup.x * SPAN; at < params.room; at += params.grid_row * SPAN) {
        let first = min(at, stop);
        let places = min(at + SPAN, stop) - first;
        let begin = min(at & ~(2u * run - 1u), stop);
        let middle = min(begin + run, stop);
        let end = min(begin + 2u * run, stop);
        find_cut(source + begin, source + middle, source + end, first - begin + select(0u, places, lid >= WG / 2u), run, lid);
        let before = atomicLoad(&cuts[0]);
        let of_a = atomicLoad(&cuts[1]) - before;
        let from_a = source + begin + before;
        let from_b = source + middle + (first - begin - before);
        for (var i = lid; i < places; i += WG) {
            put_in_tile(i, candidate_at(select(from_b + i - of_a, from_a + i, i < of_a)));
        }
        workgroupBarrier();
        let own = min(ITEMS_PER_LANE * lid, places);
        var runs = runs_at(own, 0u, of_a, places);
        for (var i = own; i < min(own + ITEMS_PER_LANE, places); i++) {
            let candidate = take(&runs);
            let place = first + i;
            if !is_last {
                put_candidate(destination + place, candidate);
            } else if place < params.k {
                store_winner(results + place, word_of(candidate.key), candidate.index);
            }
        }
        workgroupBarrier();
    }
    if is_last {
        let step = params.grid_row * WG;
        for (var place = params.count + workgroup.x * WG + lid; place < params.k; place += step) {
            store_winner(results + place, OutputValue(), 0xffffffffu);
        }
    }
}

// Finds the candidates from `a` on that are before a place of the new run: half of the invocations for one place, half for another.
fn find_cut(a: u32, b: u32, end: u32, place: u32, run: u32, lid: u32) {
    let lanes = WG / 2u;
    let which = lid / lanes;
    let lane = lid & (lanes - 1u);
    var low = place - min(place, end - b);
    var high = min(place, b - a);
    if lane == 0u {
        atomicStore(&cuts[which], low);
    }
    workgroupBarrier();
    for (var most = run; most > 0u; most /= lanes) {
        let step = (high - low + lanes - 1u) / lanes;
        let own = low + (lane + 1u) * step - 1u;
        if (low < high) & (own < high) {
            if is_before(candidate_at(a + own), candidate_at(b + place - 1u - own)) {
                atomicMax(&cuts[which], own + 1u);
            }
        }
        workgroupBarrier();
        low = atomicLoad(&cuts[which]);
        high = max(low, min(high, low + max(step, 1u) - 1u));
        workgroupBarrier();
    }
}
