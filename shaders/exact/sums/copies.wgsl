// A workgroup makes a sum of each copy of the limbs. columns.wgsl explains what it declares.
#import <constants>

const MOST_SUMS: u32 = COPIES;
const IN_ORDER: bool = true;

fn sums() -> u32 { return COPIES; }
fn member_of(lid: u32) -> u32 { return lid; }
