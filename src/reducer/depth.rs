//! How many roundings a plan puts between an element and its result.

use crate::reducer::plan::{From, Pass, Plan, Step};

impl Plan {
    /// The combinations on the longest way from an element to a result, at most: what a float's error bound grows with.
    ///
    /// A combination is one call of the operator's `combine`, as each may round; what `map` and `finish` round comes on top. It holds
    /// on every device of the plan's limits, with subgroups and without, and for shorter lengths that only the GPU knows. A sum of floats
    /// of the same sign is off by about this many half units in the last place at most, [`reference`](crate::reducer::reference) has
    /// the exact bounds.
    ///
    /// Of [`Shape::Accumulate`](crate::reducer::Shape::Accumulate) it is the depth of one call: each later one into the same output
    /// adds one combination for each of its workgroups. That is why such a plan is deeper than one of
    /// [`Shape::Whole`](crate::reducer::Shape::Whole). Of segments between offsets, whose lengths no plan knows, it is that
    /// of the longest there may be. Cost: one look at each dispatch.
    pub fn depth(&self) -> u64 {
        let longest = |merges: bool| {
            let own = self.passes.iter().filter(|pass| matches!(pass.from, From::Scratch(_)) == merges);
            own.map(Pass::depth).max().unwrap_or(0)
        };
        // Each window adds its accumulators, or its workgroups' shares, to what the one before has left.
        let onto = self.passes.iter().filter(|pass| pass.params.onto == 1).count() as u64;
        let accumulated = self.passes.iter().map(Pass::accumulated).sum::<u64>();
        longest(false) + longest(true) + onto + accumulated
    }
}

impl Pass {
    fn depth(&self) -> u64 {
        let params = &self.params;
        let size = u64::from(self.workgroup_size);
        let tree = gather(size);
        let team = own(params.chunk, 1 << params.team, self.from) + gather(1 << params.team);
        match self.step {
            Step::Whole { .. } | Step::Adjoining { .. } | Step::Accumulate { .. } | Step::Strided => {
                let tickets = u64::from(params.tickets);
                let meeting =
                    if self.step.meets() && tickets > 1 { tickets.div_ceil(size) + tree } else { 0 };
                own(params.len, u64::from(params.groups) * size, self.from) + tree + meeting
            }
            Step::Segments | Step::Chunks | Step::Merge => team,
            // What is too long for a team is the whole workgroup's, up to a tile.
            Step::Offsets => team.max(own(1 << params.segment, size, self.from) + tree),
            // A segment may start in the tile before its first border.
            Step::Tiles => own(2 << params.segment, size, self.from) + tree,
            // A short row of tiles is one invocation's, a long one the workgroup's.
            Step::Join => {
                let alone = u64::from(params.chunk);
                alone.max(own(params.groups, size, self.from) + tree)
            }
            Step::Columns | Step::ColumnChunks | Step::ColumnMerge => {
                let height = (1 << params.team) / u64::from(params.width);
                own(params.chunk, height, self.from) + u64::from(height.next_power_of_two().ilog2())
            }
        }
    }

    /// Shares that are added to the output one after the other, in whatever order.
    fn accumulated(&self) -> u64 {
        if let Step::Accumulate { .. } = self.step { self.params.groups.into() } else { 0 }
    }
}

/// From a value for each of `size` invocations to one: a tree, or subgroups whose results the lanes of each then walk over. At
/// worst those have four lanes, which is the narrowest there is.
fn gather(size: u64) -> u64 {
    let tree = u64::from(size.next_power_of_two().ilog2());
    if size > 4 { tree.max(4 + size.div_ceil(16)) } else { tree }
}

/// What one of `sharing` invocations combines: accumulators one by one; or elements or vectors of four by four accumulators, up
/// to six elements at the ends, two levels inside of a vector, and two more where the four accumulators meet.
fn own(items: u32, sharing: u64, from: From) -> u64 {
    match from {
        From::Scratch(_) => u64::from(items).div_ceil(sharing) + 2,
        _ => u64::from(items).div_ceil(4 * sharing) + 10,
    }
}
