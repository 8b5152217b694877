//! How many roundings a plan puts between an element and its result.

use crate::reduce::ladder::{Coverage, Delivery, Subgroups};
use crate::reduce::plan::{Launch, Own, Plan, Reads, Src, Writes};

impl Plan {
    /// The combinations on the longest way from an element to a result, at most: what a float's error bound grows with.
    ///
    /// A combination is one call of the operator's `combine`, as each may round; what `map` and `finish` round comes on top. It holds
    /// on every device of the plan's limits, with subgroups and without, and for shorter lengths that only the GPU knows. A sum of floats
    /// of the same sign is off by about this many half units in the last place at most, [`reference`](crate::reduce::reference) has
    /// the exact bounds.
    ///
    /// Of [`Shape::Accumulate`](crate::reduce::Shape::Accumulate) it is the depth of one call: each later one into the same output
    /// adds one combination for each of its workgroups. That is why such a plan is deeper than one of
    /// [`Shape::Whole`](crate::reduce::Shape::Whole). Of segments between offsets, whose lengths no plan knows, it is that
    /// of the longest there may be. Cost: one look at each launch.
    pub fn depth(&self) -> u64 {
        let top = self.launches.iter().map(|launch| launch.level).max().unwrap_or(0);
        let level = |level| {
            let own = self.launches.iter().filter(move |launch| launch.level == level);
            own.map(Launch::depth).max().unwrap_or(0)
        };
        // Each window adds its accumulators, or its workgroups' shares, to what the one before has left.
        let onto = self.launches.iter().filter(|launch| launch.adds_onto()).count() as u64;
        let accumulated = self.launches.iter().map(Launch::accumulated).sum::<u64>();
        (0..=top).map(level).sum::<u64>() + onto + accumulated
    }
}

impl Launch {
    fn depth(&self) -> u64 {
        let params = &self.params;
        let size = u64::from(self.stage.workgroup_size);
        let tree = gather(size);
        match (self.stage.kernel.coverage, params.own) {
            (Coverage::One, _) => 0,
            (Coverage::Pairs, _) => 1,
            (_, Own::Meeting { tickets, .. }) => {
                let tickets = u64::from(tickets);
                let meeting = if tickets > 1 { tickets.div_ceil(size) + tree } else { 0 };
                self.own(params.len, u64::from(params.groups) * size) + tree + meeting
            }
            (_, Own::Parts { chunk, team, columns: None, .. }) => {
                self.own(chunk, 1 << team) + gather(1 << team)
            }
            (_, Own::Parts { chunk, team, columns: Some([_, width]), .. }) => {
                let height = (1 << team) / u64::from(width);
                self.own(chunk, height) + u64::from(height.next_power_of_two().ilog2())
            }
            (_, Own::Offsets { power, short, team, .. }) => match (self.stage.reads, self.stage.writes) {
                // A short row of tiles is one invocation's, a long one the workgroup's.
                (Reads::Partials, _) => u64::from(short).max(self.own(params.groups, size) + tree),
                // A segment may start in the tile before its first border.
                (_, Writes::Partials) => self.own(2 << power, size) + tree,
                // What is too long for a team is the whole workgroup's, up to a tile.
                _ => {
                    let of_team = self.own(short, 1 << team) + gather(1 << team);
                    of_team.max(self.own(1 << power, size) + tree)
                }
            },
            (Coverage::Grid(_), Own::Strided { .. }) => {
                self.own(params.len, u64::from(params.groups) * size) + tree
            }
            (Coverage::Grid(_), Own::None) if self.stage.reads_vectors() => {
                self.own(params.len, u64::from(params.groups) * size) + tree
            }
            // The rungs before: each item for itself. In subgroups of 4, the narrowest, a lane walks over up to a sixteenth
            // of the workgroup's partial results.
            (_, Own::None | Own::Strided { .. }) => {
                let own = u64::from(params.len).div_ceil(u64::from(params.groups) * size);
                let narrow =
                    if self.stage.kernel.subgroups == Subgroups::Unused { 0 } else { size.div_ceil(16) };
                own + u64::from(size.ilog2()) + narrow + 4
            }
        }
    }

    /// Shares that are added to the output one after the other, in whatever order: one a workgroup, or at worst, where every
    /// subgroup adds its own and has one lane, one an invocation.
    fn accumulated(&self) -> u64 {
        let kernel = self.stage.kernel;
        match (kernel.delivery, kernel.subgroups) {
            (Delivery::Total, Subgroups::Required) => {
                u64::from(self.params.groups) * u64::from(self.stage.workgroup_size)
            }
            (Delivery::Total, _) if kernel.coverage != Coverage::One => self.params.groups.into(),
            _ => 0,
        }
    }

    fn adds_onto(&self) -> bool {
        matches!(self.params.own, Own::Parts { onto: 1, .. })
    }

    /// What one of `sharing` invocations combines: accumulators one by one; or elements or vectors of four by four accumulators, up
    /// to six elements at the ends, two levels inside of a vector, and two more where the four accumulators meet.
    fn own(&self, items: u32, sharing: u64) -> u64 {
        match self.src {
            Src::Scratch(..) => u64::from(items).div_ceil(sharing) + 2,
            _ if self.stage.reads == Reads::Partials => u64::from(items).div_ceil(sharing) + 2,
            _ => u64::from(items).div_ceil(4 * sharing) + 10,
        }
    }
}

/// From a value for each of `size` invocations to one: a tree, or subgroups whose results the lanes of each then walk over. At
/// worst those have four lanes, which is the narrowest there is.
fn gather(size: u64) -> u64 {
    let tree = u64::from(size.next_power_of_two().ilog2());
    if size > 4 { tree.max(4 + size.div_ceil(16)) } else { tree }
}
