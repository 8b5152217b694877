// A workgroup computes one sum. All its invocations add to it.

const MOST_SUMS: u32 = 1u;
const IN_ORDER: bool = true;

fn sums() -> u32 { return 1u; }
fn member_of(lid: u32) -> u32 { return lid; }
