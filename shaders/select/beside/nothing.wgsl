// A selection has nothing to store beside what it keeps.
#import scan/shared/io

@group(0) @binding(11) var<storage, read_write> number_of_kept: array<u32>;

fn put_beside(place: u32, i: u32) {
}
