// Beside the key of a run its length: from its first element to the next one that is kept, where the next run begins.
//
//     marks       1 0 1 0 | 0 0 0 1 |        of runs 7 7 | 3 3 3 3 3 | 6 …
//     lengths     2   5   |       …          to the same word, to another one, to another tile
//
// The next tile mostly keeps an element. If not, a search among the counts of tiles finds one that does: those without marks have no more before them than
// their neighbours.
#import io
#import blocks
#import kernel

@group(0) @binding(11) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(12) var<storage, read_write> number_of_kept: array<u32>;

// The position of the first kept element behind each word that has one.
var<workgroup> nexts: array<u32, WG>;

// Returns the first kept element of the tile behind one, which all tiles but the last have.
fn first_of_next(tile: u32) -> u32 {
    return counts[params.firsts + min(tile + 1u, all_tiles() - 1u)];
}

// Returns the position of the first kept element behind a tile, or else of the end.
fn behind(tile: Tile) -> u32 {
    var first = tile.next;
    if tile.number + 1u >= all_tiles() {
        first = params.count;
    } else if first == NO_FIRST {
        // The last tile before which no more are kept.
        var last = tile.number + 1u;
        var end = all_tiles();
        while end - last > 1u {
            let middle = last + (end - last) / 2u;
            if counts[middle] <= tile.onto + tile.kept {
                last = middle;
            } else {
                end = middle;
            }
        }
        first = min(counts[params.firsts + last], params.count);
    }
    return first - OWN * WG * tile.number;
}

// Finds what lies behind the words of a tile that keeps many.
fn prepare_lengths(own: u32, lid: u32, tile: Tile) {
    if has_many(tile) && own != 0u {
        var word = lid + 1u;
        while word < WG && words[word] == 0u {
            word += 1u;
        }
        if word < WG {
            nexts[lid] = OWN * word + firstTrailingBit(words[word]);
        } else {
            nexts[lid] = behind(tile);
        }
    }
    workgroupBarrier();
}

// The length of the run that begins at a position, from the marks there and behind it in its word.
fn length_at(position: u32, marks: u32) -> u32 {
    let rest = marks >> 1u;
    if rest != 0u {
        return 1u + firstTrailingBit(rest);
    }
    return nexts[position / OWN] - position;
}

fn listed_length(nth: u32, position: u32, tile: Tile) -> u32 {
    if nth + 1u < tile.kept {
        return positions[nth + 1u] - position;
    }
    if nth + 1u == tile.kept {
        return behind(tile) - position;
    }
    return 0u;
}

fn put_length(place: u32, length: u32) {
    lengths[place] = length;
}
