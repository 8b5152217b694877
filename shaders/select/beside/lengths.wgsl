// Beside the key of a run its position, in the place of its length. The dispatch `lengths` puts the length there:
//
//     keys        7 7 | 3 3 3 3 3 | 6 …
//     kept        1 0   1 0 0 0 0   1
//     positions   0     2           7
//     lengths     2     5           …
#import scan/shared/io
#import select/shared/chunks

@group(0) @binding(11) var<storage, read_write> lengths: array<u32>;
@group(0) @binding(12) var<storage, read_write> number_of_kept: array<u32>;

fn put_beside(place: u32, i: u32) {
    lengths[place] = i;
    if place % CHUNK == 0u {
        chunk_starts[place / CHUNK] = i;
    }
}
