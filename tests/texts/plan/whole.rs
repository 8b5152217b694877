//! One result of everything: in one dispatch a window, through levels of partial results, or through an atomic total.

use std::ops::Range;

use halofold::Binding;
use halofold::ladder::{Coverage, Finish};
use halofold::reduce::plan::{ByteRange, Reads, Writes};
use halofold::reduce::{Plan, Shape};
use proptest::prelude::*;

use super::case::Case;
use super::check::{
    Checked, INPUT, Launch, OUTPUT, bound, grid, holds, holds_partials, input, param, scratch, tiles, turns,
    window, words, writes,
};

pub fn plan(case: &Case, plan: &Plan) -> Checked {
    let windows: Vec<_> = plan.launches().iter().filter(|launch| is_over_items(launch)).collect();
    over_items(case, &windows)?;
    for launch in plan.launches() {
        prop_assert_eq!(param(launch, "count"), case.len());
        indices(case, launch)?;
    }
    match case.rung().map(|(_, finish, _)| finish) {
        Some(Finish::Atomic) => through_total(case, plan)?,
        Some(Finish::Host | Finish::Repeat | Finish::OneWorkgroup) => through_scratch(case, plan)?,
        None if case.in_two_launches() => {
            strides(case, &windows)?;
            through_scratch(case, plan)?;
        }
        Some(Finish::LastWorkgroup) | None => launches(case, plan)?,
        Some(other) => unreachable!("{other:?} is new"),
    }
    left(case, plan)
}

/// Returns true if it reads the caller's items, of which there may be none.
fn is_over_items(launch: &Launch) -> bool {
    scratch(launch, INPUT).is_none() && launch.step.kernel.coverage != Coverage::One
}

/// Dispatches over the caller's items take each of them once.
fn over_items(case: &Case, launches: &[&Launch]) -> Checked {
    tiles(launches.iter().map(|launch| window(launch)), case.len())?;
    let mut before = vec![0];
    for part in &case.parts {
        before.push(before[before.len() - 1] + part.len);
    }
    for launch in launches {
        let Range { start, end } = window(launch);
        let Some((part, _)) = input(launch, INPUT) else {
            prop_assert_eq!((launch.binding(INPUT), start), (None, end));
            continue;
        };
        prop_assert!(start < end);
        let (start, end) = (start - before[part], end - before[part]);
        let stride = case.apart();
        holds(case, launch, start * stride..(end - 1) * stride + 1, start * stride)?;
    }
    Ok(())
}

/// The workgroups reach every item, no index on the way leaves 32 bits, and no invocation turns too often.
fn indices(case: &Case, launch: &Launch) -> Checked {
    let (groups, size) = (param(launch, "groups"), u64::from(launch.step.workgroup_size));
    prop_assert!(size <= case.limits.max_compute_invocations_per_workgroup.into());
    let [first, len] = ["first", "len"].map(|name| param(launch, name));
    let needed = if launch.step.kernel.coverage == Coverage::Pairs { groups.div_ceil(size) } else { groups };
    grid(case, launch, needed)?;
    match launch.step.kernel.coverage {
        // The last turn of the loop steps past the end by less than three grids of vectors.
        Coverage::Grid(_) => prop_assert!(first + len + 4 * groups * size < 1 << 32, "{launch:?}"),
        Coverage::One => {}
        _ => {
            let reached = groups * per_result(launch);
            prop_assert!(reached >= len && first + reached <= 1 << 32, "{launch:?}");
            return Ok(());
        }
    }
    let tickets = launch.param("tickets").map_or(0, u64::from);
    turns(len.div_ceil(groups * size) + tickets.div_ceil(size))
}

/// Items that one workgroup takes in one go; for pairs, one invocation.
fn per_result(launch: &Launch) -> u64 {
    let size = u64::from(launch.step.workgroup_size);
    match launch.step.kernel.coverage {
        Coverage::Pairs => 2,
        Coverage::Block(items) | Coverage::Grid(items) => u64::from(items) * size,
        Coverage::Tiles(tiles) => u64::from(tiles) * u64::from(launch.step.tile),
        other => unreachable!("{other:?} is new"),
    }
}

/// There are as many tickets as workgroups, and each workgroup publishes into its own slot, or adds to the output.
fn launches(case: &Case, plan: &Plan) -> Checked {
    let all: u64 = plan.launches().iter().map(|launch| param(launch, "groups")).sum();
    let mut published = 0;
    for launch in plan.launches() {
        let groups = param(launch, "groups");
        // A workgroup too many would draw a ticket, and add what is not its own.
        prop_assert_eq!(launch.workgroups(), groups);
        prop_assert_eq!(writes(case, launch, 1)?, 0..1);
        if case.shape == Shape::Accumulate {
            prop_assert_eq!(launch.param("slot").or(launch.param("stride")), None);
        } else {
            let own = ["slot", "tickets", "stride"].map(|name| param(launch, name));
            prop_assert_eq!(own, [published, all, case.apart()]);
        }
        published += groups;
    }
    prop_assert_eq!((plan.scratch(), plan.results()), ([0; 2], 1));
    if case.shape == Shape::Accumulate {
        prop_assert_eq!(plan.partials(), 0);
        return Ok(());
    }
    // A ticket counter with a cache line to itself comes first.
    prop_assert!(plan.partials() >= 32 * 4 + published * case.acc());
    prop_assert!(plan.partials() <= case.limits.max_storage_buffer_binding_size);
    Ok(())
}

/// Dispatches over the caller's elements know how far apart those are.
fn strides(case: &Case, launches: &[&Launch]) -> Checked {
    for launch in launches {
        let is_strided = launch.step.reads == Reads::Strided;
        let stride = launch.param("stride").map_or(1, u64::from);
        prop_assert_eq!((is_strided, stride), (matches!(case.shape, Shape::Strided { .. }), case.apart()));
    }
    Ok(())
}

/// A total is seeded, added to, and sealed.
fn through_total(case: &Case, plan: &Plan) -> Checked {
    let is_alone = |launch: &&Launch| launch.step.kernel.coverage == Coverage::One;
    let names: Vec<_> = plan.launches().iter().filter(is_alone).map(|one| one.step.kernel.name).collect();
    prop_assert!(names == ["seed"] || names == ["seed", "seal"], "{names:?}");
    prop_assert!(plan.launches().is_sorted_by_key(|launch| launch.level));
    let total = Binding::Output(ByteRange { offset: 0, size: words(case.value(Writes::Results)) });
    for launch in plan.launches() {
        let level = match launch.step.kernel.name {
            "seed" => 0,
            "seal" => 2,
            _ => 1,
        };
        prop_assert_eq!((launch.level, launch.binding(OUTPUT)), (level, Some(total)));
        prop_assert_eq!(param(launch, "store"), 0);
        prop_assert!(launch.step.kernel.adds_to_total());
        if level != 1 {
            let read = (launch.binding(INPUT), launch.grid, param(launch, "len"));
            prop_assert_eq!(read, (None, [1, 1], 0));
        }
    }
    prop_assert_eq!((plan.scratch(), plan.partials()), ([0; 2], 0));
    Ok(())
}

/// Every level leaves what the next one reads from end to end; two buffers take turns.
fn through_scratch(case: &Case, plan: &Plan) -> Checked {
    let mut written = 0;
    let mut target = None;
    for launches in plan.launches().chunk_by(|a, b| a.level == b.level) {
        let first = &launches[0];
        if let Some((buffer, _)) = scratch(first, INPUT) {
            prop_assert_eq!(Some(buffer), target);
            prop_assert!(written * case.acc() <= plan.scratch()[buffer]);
            tiles(launches.iter().map(window), written)?;
            for launch in launches {
                prop_assert_eq!(launch.step.reads, Reads::Partials);
                holds_partials(case, launch, window(launch))?;
            }
        } else {
            prop_assert_eq!(first.level, 0);
        }
        let from = target;
        target = scratch(first, OUTPUT).map(|(buffer, _)| buffer);
        prop_assert!(from.is_none() || from != target, "a level writes what it reads");
        let left = launches.iter().map(|launch| param(launch, "groups")).sum::<u64>();
        prop_assert!(first.level == 0 || left < written, "no progress: {launches:?}");
        let mut ranges = Vec::new();
        for launch in launches {
            prop_assert_eq!(scratch(launch, OUTPUT).map(|(buffer, _)| buffer), target);
            let finishes = target.is_none() && left == 1 && !case.states[1];
            prop_assert_eq!(launch.step.writes == Writes::Results, finishes);
            ranges.push(writes(case, launch, param(launch, "groups"))?);
        }
        tiles(ranges, left)?;
        written = left;
    }
    prop_assert_eq!((target, written, plan.partials()), (None, plan.results(), 0));
    // At worst an item makes an accumulator, and every window a result.
    let most = words(case.acc() * (case.len() + plan.launches().len() as u64));
    prop_assert!(plan.scratch().iter().all(|size| *size <= most), "{:?} for {most}", plan.scratch());
    for bytes in plan.scratch().into_iter().filter(|size| *size > 0) {
        bound(case, ByteRange { offset: 0, size: bytes.min(32) })?;
    }
    Ok(())
}

/// As many results are left as the way to finish says.
fn left(case: &Case, plan: &Plan) -> Checked {
    let Some((rung, finish, tuning)) = case.rung() else {
        prop_assert_eq!(plan.results(), 1);
        return Ok(());
    };
    match finish {
        Finish::Atomic | Finish::LastWorkgroup | Finish::OneWorkgroup => prop_assert_eq!(plan.results(), 1),
        Finish::Host if rung.kernel.coverage == Coverage::Pairs => prop_assert!(plan.results() <= 64),
        // One level only: the host gets what the elements gave.
        Finish::Host => prop_assert!(plan.launches().iter().all(|launch| launch.level == 0)),
        // A workgroup that takes one item at a time makes no progress.
        Finish::Repeat if per_result(&plan.launches()[0]) == 1 => {}
        Finish::Repeat => prop_assert!(plan.results() <= u64::from(tuning.leave)),
        other => unreachable!("{other:?} is new"),
    }
    Ok(())
}
