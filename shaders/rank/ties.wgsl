// ties: the first elements that are equal to the threshold, if some of them win.
//
// Reads the ties of each part, which `sift` has counted, and the elements of parts that have the first ones. Writes these behind the candidates.
//
//     four largest of 9 7 | 7 1 | 7 7      9 is a candidate, three ties win
//     ties of parts     1 |   1 |   2      the first tie of the last part is the third
//
// Cost: the parts up to the last winner are read a second time.
#import rank/shared/io
#import rank/shared/grid_entry
#import rank/shared/input
#import rank/shared/input_words
#import rank/keys/*
#import rank/shared/ends
#import rank/order/*
#import lib/workgroup/sum_before
#import rank/shared/winners

@group(0) @binding(10) var<storage, read> ties: array<u32>;

// Elements of an invocation in a step.
const STEP: u32 = 4u;

var<workgroup> candidates_of_row: u32;
var<workgroup> running: u32;

fn kernel(workgroup: vec2<u32>, lid: u32) {
    let own_row = workgroup.y;
    if lid == 0u {
        candidates_of_row = number(own_row);
    }
    // A row may have fewer than k elements.
    let winners = min(params.k, params.count);
    let candidates = min(workgroupUniformLoad(&candidates_of_row), winners);
    let needed = winners - candidates;
    if needed == 0u {
        return;
    }
    let row = row_of(own_row);
    let key = known_key(own_row, HIGH);
    let results = (params.row + own_row) * params.k + candidates;
    var counted = own_row * params.parts;
    var before = 0u;
    for (var part = workgroup.x; part < params.here; part += params.grid_row) {
        let own = own_row * params.parts + params.part + part;
        before += ties_of_parts(counted, own, lid);
        counted = own;
        if before >= needed {
            break;
        }
        let begin = select(4u * min(row.begin4 + part * params.span, row.end4), row.begin, part == 0u);
        let end = select(4u * min(row.begin4 + (part + 1u) * params.span, row.end4), row.end, part + 1u == params.here);
        var found = before;
        for (var at = begin; at < end; at += STEP * WG) {
            let first = at + STEP * lid;
            let bits = bits_of_ties(first, end, key);
            var place = found + sum_before(countOneBits(bits), lid);
            for (var left = bits; left != 0u; left &= left - 1u) {
                if place < needed {
                    let index = params.index + first + firstTrailingBit(left) - row.begin;
                    store_winner(results + place, word_of(key), index);
                }
                place += 1u;
            }
            if lid == WG - 1u {
                running = place;
            }
            found = workgroupUniformLoad(&running);
        }
    }
}

// The ties in the parts from one to before another.
fn ties_of_parts(begin: u32, end: u32, lid: u32) -> u32 {
    var sum = 0u;
    for (var i = begin + lid; i < end; i += WG) {
        sum += ties[i];
    }
    let before = sum_before(sum, lid);
    if lid == WG - 1u {
        running = before + sum;
    }
    return workgroupUniformLoad(&running);
}

// A bit for each element of an invocation: it is equal to the threshold.
fn bits_of_ties(first: u32, end: u32, key: Key) -> u32 {
    var bits = 0u;
    for (var i = 0u; i < STEP; i++) {
        if first + i < end {
            bits |= select(0u, 1u << i, same(element(first + i), key));
        }
    }
    return bits;
}
