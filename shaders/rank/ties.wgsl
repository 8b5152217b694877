// ties: the first elements that are equal to the threshold, if some of them win.
//
// They follow all candidates in index order, so their places are known. Only the parts in which `sift` has counted the first ones are read.
#import io
#import grid_entry
#import input
#import input_words
#import keys
#import ends
#import key_order
#import output
#import winner_indices
#import winners

@group(0) @binding(10) var<storage, read> ties: array<u32>;

// A bit for each element of a step: it is equal to the threshold.
const STEP: u32 = 4u;
var<workgroup> bits: array<atomic<u32>, 32>;

// The ties that win, and the place among the results of the first of them.
struct Needed {
    number: u32,
    first: u32,
}

var<workgroup> needed_ties: Needed;

fn kernel(workgroup: vec2<u32>, lid: u32) {
    let own_row = workgroup.y;
    if lid == 0u {
        let winning = winning_candidates(own_row);
        needed_ties = Needed(winners_of_row() - winning, (params.row + own_row) * params.k + winning);
    }
    let needed = workgroupUniformLoad(&needed_ties);
    if needed.number == 0u {
        return;
    }
    let row = row_of(own_row);
    let key = known_key(own_row, HIGH);
    for (var part = workgroup.x; part < params.here; part += params.groups) {
        let before = ties[own_row * params.parts + params.part + part];
        if before >= needed.number {
            break;
        }
        let begin = select(4u * min(row.begin4 + part * params.span, row.end4), row.begin, part == 0u);
        let end = select(4u * min(row.begin4 + (part + 1u) * params.span, row.end4), row.end, part + 1u == params.here);
        write_ties(begin, end, row.begin, key, before, needed, lid);
    }
}

// Writes the ties of a part, in order, as long as some are needed.
fn write_ties(begin: u32, end: u32, start: u32, key: Key, before: u32, needed: Needed, lid: u32) {
    var found = before;
    for (var at = begin; at < end; at += STEP * WG) {
        for (var word = lid; word < STEP * WG / 32u; word += WG) {
            atomicStore(&bits[word], 0u);
        }
        workgroupBarrier();
        // A bit for each element of this invocation: FXC takes no vector that is written by a variable index.
        var own = 0u;
        for (var i = 0u; i < STEP; i++) {
            let position = i * WG + lid;
            if at + position < end {
                if same(element(at + position), key) {
                    own |= 1u << i;
                    atomicOr(&bits[position >> 5u], 1u << (position & 31u));
                }
            }
        }
        workgroupBarrier();
        for (var i = 0u; i < STEP; i++) {
            let position = i * WG + lid;
            if ((own >> i) & 1u) == 1u {
                let place = found + ones_before(position);
                if place < needed.number {
                    store_value(needed.first + place, word_of(key));
                    winner_indices[needed.first + place] = params.index + at + position - start;
                }
            }
        }
        found += ones_before(STEP * WG);
        workgroupBarrier();
    }
}

fn ones_before(bit: u32) -> u32 {
    var ones = 0u;
    for (var word = 0u; word < (bit >> 5u); word++) {
        ones += countOneBits(atomicLoad(&bits[word]));
    }
    if (bit & 31u) != 0u {
        ones += countOneBits(atomicLoad(&bits[bit >> 5u]) & ((1u << (bit & 31u)) - 1u));
    }
    return ones;
}
