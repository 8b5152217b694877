// A workgroup makes the sums of neighbouring columns, each by every `sums()`-th of its invocations.
#import <constants>
#import shared/column

// Room for as many; false if `member_of` changes the order of invocations.
const MOST_SUMS: u32 = COPIES;
const IN_ORDER: bool = true;

// A power of two.
fn sums() -> u32 { return params.own.width; }

// The number of an invocation in an order in which every `sums()`-th has the same sum.
fn member_of(lid: u32) -> u32 { return lid; }
