// Beside the key of a run its length: from its first element to the first kept one behind it, where the next run begins.
//
//     marks    1 0 1 0 | 0 0 0 1 |        of runs 7 7 | 3 3 3 3 3 | 6
//     next       2           7   | …      behind each word that has a mark
//
// That one lies in the same word, in the next word of the tile that has a mark, or in the next tile that has one: mostly the very next. If not, a search
// among the counts of tiles finds it, since those without marks have no more before them than their neighbours.
#import io
#import blocks
#import firsts
#import kernel

@group(0) @binding(11) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(12) var<storage, read_write> number_of_kept: array<u32>;

// The first kept element behind each word, and behind the tile.
var<workgroup> nexts: array<u32, WG>;
var<workgroup> next_behind: u32;

// Returns the first kept element behind a tile, up to the end of which `kept` are. Behind the last tile it is the end.
fn first_behind(tile: u32, kept: u32) -> u32 {
    if tile + 1u >= all_tiles() {
        return params.count;
    }
    var next = tile + 1u;
    if counts[params.firsts + next] == NO_FIRST {
        // The last tile before which no more are kept.
        var end = all_tiles();
        while end - next > 1u {
            let middle = next + (end - next) / 2u;
            if counts[middle] <= kept {
                next = middle;
            } else {
                end = middle;
            }
        }
    }
    return min(counts[params.firsts + next], params.count);
}

// Finds what lies behind the words of a tile, of which the marks are in `words`.
fn prepare_lengths(kept: u32, tile: u32, lid: u32) {
    if lid == 0u {
        next_behind = first_behind(tile, kept);
    }
    workgroupBarrier();
    var next = next_behind;
    if words[lid] != 0u {
        var word = lid + 1u;
        while word < WG && words[word] == 0u {
            word += 1u;
        }
        if word < WG {
            next = OWN * (tile * WG + word) + firstTrailingBit(words[word]);
        }
    }
    nexts[lid] = next;
    workgroupBarrier();
}

// The length of the run that begins at a bit of a word.
fn length_of(bit: u32, word: u32, lid: u32, tile: u32) -> u32 {
    let rest = (word >> bit) >> 1u;
    if rest != 0u {
        return 1u + firstTrailingBit(rest);
    }
    return nexts[lid] - (OWN * (tile * WG + lid) + bit);
}

fn put_length(place: u32, length: u32) {
    lengths[place] = length;
}
