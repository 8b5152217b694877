//! The depth of a plan: the number of roundings between an element and its result.

use crate::gpu::pass::Pass;
use crate::reduce::kernel::{Coverage, Delivery, Subgroups};
use crate::reduce::plan::{Plan, Reads, Stage, Writes};

impl Plan {
    /// An upper bound on the number of combinations between an element and a result. The error bound of a float result grows with it.
    ///
    /// A combination is one call of the operator's `combine`, and each may round. Roundings in `map` and
    /// `finish` come on top. The bound holds on every device with the plan's limits, with and without
    /// subgroups, and for any smaller count on the GPU. The error of a sum of floats of the same sign is at most about this many half units in the
    /// last place. [`reference`](crate::reduce::reference) has the exact bounds.
    ///
    /// For [`Shape::Accumulate`](crate::reduce::Shape::Accumulate) it is the depth of one call. Each later call into the same output adds one combination
    /// per workgroup, so such a plan is deeper than one of [`Shape::Whole`](crate::reduce::Shape::Whole). For segments between offsets, whose lengths the
    /// plan does not know, it is the depth of the longest possible segment. The cost of this call is proportional to the number of dispatches.
    pub fn depth(&self) -> u64 {
        let launches = self.launches();
        let top = launches.iter().map(|launch| launch.level).max().unwrap_or(0);
        let level = |level| {
            let own = launches.iter().filter(move |launch| launch.level == level);
            own.map(depth).max().unwrap_or(0)
        };
        // Each window adds its accumulators, or its workgroups' partials, to those of the previous window.
        let onto = launches.iter().filter(|launch| launch.param("onto") == Some(1)).count() as u64;
        let accumulated = launches.iter().map(accumulated).sum::<u64>();
        (0..=top).map(level).sum::<u64>() + onto + accumulated
    }
}

/// The depth of a dispatch.
fn depth(launch: &Pass<Stage>) -> u64 {
    let Stage { kernel, reads, writes, .. } = launch.step;
    let param = |name| u64::from(launch.param(name).unwrap_or(0));
    let has = |name| launch.param(name).is_some();
    // The depth of the combinations of one of `sharing` invocations. Accumulators are combined one by one. Elements or vectors of four go to four
    // accumulators: up to six elements at the ends, two levels inside a vector, and two more to combine the four accumulators.
    let own = |items: u64, sharing: u64| match reads {
        Reads::Partials => items.div_ceil(sharing) + 2,
        _ => items.div_ceil(4 * sharing) + 10,
    };
    let size = u64::from(launch.step.workgroup_size);
    let tree = gather(size);
    let all = param("groups") * size;
    let team = 1 << param("team");
    match kernel.coverage {
        Coverage::One => 0,
        Coverage::Pairs => 1,
        _ if kernel.collects_partials() => {
            let tickets = param("tickets");
            let last = if tickets > 1 { tickets.div_ceil(size) + tree } else { 0 };
            own(param("len"), all) + tree + last
        }
        Coverage::Columns => {
            let height = team / param("width");
            own(param("chunk"), height) + u64::from(height.next_power_of_two().ilog2())
        }
        Coverage::Teams if has("power") => match (reads, writes) {
            // One invocation combines a short row of tiles, the workgroup a long one.
            (Reads::Partials, _) => param("short").max(own(param("groups"), size) + tree),
            // A segment may start in the tile before its first border.
            (_, Writes::Partials) => own(2 << param("power"), size) + tree,
            // The whole workgroup takes a segment that is too long for a team, up to a tile.
            _ => {
                let of_team = own(param("short"), team) + gather(team);
                of_team.max(own(1 << param("power"), size) + tree)
            }
        },
        Coverage::Teams => own(param("chunk"), team) + gather(team),
        Coverage::Grid(_) if has("stride") || launch.step.reads_vectors() => own(param("len"), all) + tree,
        // The earlier rungs combine items one by one. In subgroups of 4, the narrowest, a lane combines
        // up to a sixteenth of the workgroup's partial results.
        _ => {
            let narrow = if kernel.subgroups == Subgroups::Unused { 0 } else { size.div_ceil(16) };
            param("len").div_ceil(all) + u64::from(size.ilog2()) + narrow + 4
        }
    }
}

/// The number of partials that are added to the output one after the other, in any order: one per workgroup. If every subgroup adds its own, the
/// worst case is subgroups of one lane, with one partial per invocation.
fn accumulated(launch: &Pass<Stage>) -> u64 {
    let Stage { kernel, workgroup_size, .. } = launch.step;
    let groups = u64::from(launch.param("groups").unwrap_or(0));
    match (kernel.delivery, kernel.subgroups) {
        (Delivery::Total, Subgroups::Required) => groups * u64::from(workgroup_size),
        (Delivery::Total, _) if kernel.coverage != Coverage::One => groups,
        _ => 0,
    }
}

/// The depth of combining the values of `size` invocations: by a tree, or by subgroups whose results each
/// lane then combines. The worst case is subgroups of four lanes, the narrowest that exist.
fn gather(size: u64) -> u64 {
    let tree = u64::from(size.next_power_of_two().ilog2());
    if size > 4 { tree.max(4 + size.div_ceil(16)) } else { tree }
}
