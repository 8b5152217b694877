//! How many roundings a plan puts between an element and its result.

use crate::reducer::plan::{From, Pass, Plan, Step};

impl Plan {
    /// The combinations on the longest way from an element to a result, at most: what a float's error bound grows with.
    pub fn depth(&self) -> u64 {
        let longest = |merges: bool| {
            let own = self.passes.iter().filter(|pass| matches!(pass.from, From::Scratch(_)) == merges);
            own.map(Pass::depth).max().unwrap_or(0)
        };
        longest(false) + longest(true)
    }
}

impl Pass {
    fn depth(&self) -> u64 {
        let params = &self.params;
        match self.step {
            Step::Whole { workgroup_size } => {
                let size = u64::from(workgroup_size);
                let tree = u64::from(workgroup_size.ilog2());
                let tickets = u64::from(params.tickets);
                let meeting = if tickets > 1 { tickets.div_ceil(size) + tree } else { 0 };
                own(params.len, u64::from(params.groups) * size, self.from) + tree + meeting
            }
            _ => own(params.chunk, 1 << params.team, self.from) + u64::from(params.team),
        }
    }
}

/// What one of `sharing` invocations combines: accumulators one by one; or vectors of four and up to six elements at the
/// ends, with two levels inside of a vector, and two more where its four accumulators meet.
fn own(items: u32, sharing: u64, from: From) -> u64 {
    match from {
        From::Scratch(_) => u64::from(items).div_ceil(sharing),
        _ => u64::from(items).div_ceil(4 * sharing) + 10,
    }
}
