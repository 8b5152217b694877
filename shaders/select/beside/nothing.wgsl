// A selection stores nothing beside what it keeps. The state of its chain is the number of kept elements.
#import scan/shared/io
#import lib/grid/entry

@group(0) @binding(11) var<storage, read_write> number_of_kept: array<u32>;

fn state(number: u32, last: u32) -> Acc { return number; }
fn number_in(acc: Acc) -> u32 { return acc; }
fn last_in(acc: Acc) -> u32 { return 0u; }
fn last_of_lane(marks: vec4<u32>, i: u32, lanes: u32) -> u32 { return 0u; }
fn last_of_subgroup(last: u32) -> u32 { return 0u; }

fn note(i: u32, place: u32, lanes: u32, at: Place) {
}

fn put_beside(ahead: Acc, place: u32, lanes: u32, at: Place) -> Acc { return place; }

fn put_length(place: u32, i: u32, last: u32) {
}
