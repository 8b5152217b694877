// The lists of keys, as each was met first: two of them, of which one is read and the other one is written. And a search in one that is in order.
#import group_by/shared/io

@group(0) @binding(10) var<storage, read_write> lists: array<u32>;

// The place of the first key that is not less than another one, between two places of the list that is read. Keys are in order there.
fn search(key: u32, begin: u32, end: u32) -> u32 {
    var low = begin;
    var high = end;
    while low < high {
        let between = (low + high) / 2u;
        if lists[params.source + between] < key {
            low = between + 1u;
        } else {
            high = between;
        }
    }
    return low;
}
