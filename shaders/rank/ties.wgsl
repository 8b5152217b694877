// ties: the first elements that are equal to the threshold, if some of them win.
//
// A look at the input, but only at those parts of it in which the first of them are: the read before has counted them, part by part.
#import io
#import input
#import keys
#import search
#import winners

@group(0) @binding(10) var<storage, read> ties: array<u32>;

// A bit for each element of a step: it is equal to the threshold.
const STEP: u32 = 4u;
var<workgroup> bits: array<atomic<u32>, 32>;

@compute @workgroup_size(WG)
fn main(
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(local_invocation_index) lid: u32,
) {
    let own_row = workgroup.y;
    let search = search_of(own_row, lid);
    if !(search.is_at_high | (search.among == ALL)) {
        return;
    }
    let row = row_of(own_row);
    let needed = search.left + 1u;
    let first = own_row * params.k + winners_of_row() - needed;
    for (var part = workgroup.x; part < params.here; part += params.groups) {
        let before = ties[own_row * params.parts + params.part + part];
        if before >= needed {
            break;
        }
        let begin = select(4u * min(row.begin4 + part * params.span, row.end4), row.begin, part == 0u);
        let end = select(4u * min(row.begin4 + (part + 1u) * params.span, row.end4), row.end, part + 1u == params.here);
        write_ties(begin, end, row.begin, search.base, before, needed, first, lid);
    }
}

// Writes the ties of a part, in order, as long as some are needed.
fn write_ties(begin: u32, end: u32, start: u32, key: Key, before: u32, needed: u32, first: u32, lid: u32) {
    var found = before;
    for (var at = begin; at < end; at += STEP * WG) {
        for (var word = lid; word < STEP * WG / 32u; word += WG) {
            atomicStore(&bits[word], 0u);
        }
        workgroupBarrier();
        // A bit for each element of this invocation: FXC takes no vector that is written by a variable index.
        var own = 0u;
        for (var i = 0u; i < STEP; i++) {
            let element = i * WG + lid;
            if at + element < end {
                if key_of(words[at + element]) == key {
                    own |= 1u << i;
                    atomicOr(&bits[element >> 5u], 1u << (element & 31u));
                }
            }
        }
        workgroupBarrier();
        for (var i = 0u; i < STEP; i++) {
            let element = i * WG + lid;
            if ((own >> i) & 1u) == 1u {
                let place = found + ones_before(element);
                if place < needed {
                    winners[first + place] = vec2(key, params.index + at + element - start);
                }
            }
        }
        found += ones_before(STEP * WG);
        workgroupBarrier();
    }
}

// The number of bits before one.
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
