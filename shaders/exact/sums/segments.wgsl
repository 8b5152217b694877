// A workgroup makes the sums of neighbouring segments, each by a team of neighbouring invocations. columns.wgsl explains what it declares.
#import <constants>
#import lib/grid/entry
#import shared/bounds

const MOST_SUMS: u32 = COPIES;
const IN_ORDER: bool = false;

fn sums() -> u32 { return WG >> params.own.team; }
fn member_of(lid: u32) -> u32 { return (lid & ((1u << params.own.team) - 1u)) * sums() + (lid >> params.own.team); }
