//! The depth of a plan: the number of roundings between an element and its result.

use crate::reduce::kernel::{Coverage, Delivery, Subgroups};
use crate::reduce::plan::{Launch, Own, Plan, Reads, Src, Writes};

impl Plan {
    /// An upper bound on the number of combinations between an element and a result. The error bound of a
    /// float result grows with it.
    ///
    /// A combination is one call of the operator's `combine`, and each may round. Roundings in `map` and
    /// `finish` come on top. The bound holds on every device with the plan's limits, with and without
    /// subgroups, and for any smaller count on the GPU. The error of a sum of floats of the same sign is at
    /// most about this many half units in the last place. [`reference`](crate::reduce::reference) has the
    /// exact bounds.
    ///
    /// For [`Shape::Accumulate`](crate::reduce::Shape::Accumulate) it is the depth of one call. Each later
    /// call into the same output adds one combination per workgroup, so such a plan is deeper than one of
    /// [`Shape::Whole`](crate::reduce::Shape::Whole). For segments between offsets, whose lengths the plan
    /// does not know, it is the depth of the longest possible segment. The cost of this call is proportional
    /// to the number of launches.
    pub fn depth(&self) -> u64 {
        let top = self.launches.iter().map(|launch| launch.level).max().unwrap_or(0);
        let level = |level| {
            let own = self.launches.iter().filter(move |launch| launch.level == level);
            own.map(Launch::depth).max().unwrap_or(0)
        };
        // Each window adds its accumulators, or its workgroups' partials, to those of the previous window.
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
            (_, Own::LastWorkgroup { tickets, .. }) => {
                let tickets = u64::from(tickets);
                let last = if tickets > 1 { tickets.div_ceil(size) + tree } else { 0 };
                self.own(params.len, u64::from(params.groups) * size) + tree + last
            }
            (_, Own::Parts { chunk, team, columns: None, .. }) => {
                self.own(chunk, 1 << team) + gather(1 << team)
            }
            (_, Own::Parts { chunk, team, columns: Some([_, width]), .. }) => {
                let height = (1 << team) / u64::from(width);
                self.own(chunk, height) + u64::from(height.next_power_of_two().ilog2())
            }
            (_, Own::Offsets { power, short, team, .. }) => match (self.stage.reads, self.stage.writes) {
                // One invocation combines a short row of tiles, the workgroup a long one.
                (Reads::Partials, _) => u64::from(short).max(self.own(params.groups, size) + tree),
                // A segment may start in the tile before its first border.
                (_, Writes::Partials) => self.own(2 << power, size) + tree,
                // The whole workgroup takes a segment that is too long for a team, up to a tile.
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
            // The earlier rungs combine items one by one. In subgroups of 4, the narrowest, a lane combines
            // up to a sixteenth of the workgroup's partial results.
            (_, Own::None | Own::Strided { .. }) => {
                let own = u64::from(params.len).div_ceil(u64::from(params.groups) * size);
                let narrow =
                    if self.stage.kernel.subgroups == Subgroups::Unused { 0 } else { size.div_ceil(16) };
                own + u64::from(size.ilog2()) + narrow + 4
            }
        }
    }

    /// The number of partials that are added to the output one after the other, in any order: one per
    /// workgroup. If every subgroup adds its own, the worst case is subgroups of one lane, with one partial
    /// per invocation.
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

    /// The depth of the combinations of one of `sharing` invocations. Accumulators are combined one by one.
    /// Elements or vectors of four go to four accumulators: up to six elements at the ends, two levels inside
    /// a vector, and two more to combine the four accumulators.
    fn own(&self, items: u32, sharing: u64) -> u64 {
        match self.src {
            Src::Scratch(..) => u64::from(items).div_ceil(sharing) + 2,
            _ if self.stage.reads == Reads::Partials => u64::from(items).div_ceil(sharing) + 2,
            _ => u64::from(items).div_ceil(4 * sharing) + 10,
        }
    }
}

/// The depth of combining the values of `size` invocations: by a tree, or by subgroups whose results each
/// lane then combines. The worst case is subgroups of four lanes, the narrowest that exist.
fn gather(size: u64) -> u64 {
    let tree = u64::from(size.next_power_of_two().ilog2());
    if size > 4 { tree.max(4 + size.div_ceil(16)) } else { tree }
}
