// A workgroup makes the sums of neighbouring columns, each by every `sums()`-th of its invocations.
#import <constants>
#import shared/column

// Room for as many.
const MOST_SUMS: u32 = COPIES;

// A power of two.
fn sums() -> u32 { return params.own.width; }

// The sum and the digit that an invocation computes.
fn digit_of(i: u32) -> vec2<u32> { return vec2<u32>(i / LIMBS, i % LIMBS); }
