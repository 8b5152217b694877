//! Segments between offsets.

use std::ops::Range;

use halofold::reduce::Plan;
use halofold::reduce::plan::{ByteRange, Reads, Writes};
use proptest::prelude::*;

use super::case::Case;
use super::check::{
    Checked, INPUT, Launch, Step, bound, input, param, scratch, steps, teams, tiles, window, words, writes,
};

/// The binding of the list of offsets.
const LIST: u32 = 7;

/// The numbers of a dispatch over segments, tiles or marks.
struct Numbers {
    /// Elements of a tile.
    tile: u64,
    /// Elements of a segment that a team takes alone.
    short: u64,
    base: u64,
    team: u32,
    is_last: bool,
}

fn numbers(launch: &Launch) -> Numbers {
    let own = ["power", "short", "base", "team", "is_last"];
    let [power, short, base, team, is_last] = own.map(|name| param(launch, name));
    Numbers { tile: 1 << power, short, base, team: team as u32, is_last: is_last == 1 }
}

/// `count` segments or tiles from the first on that a dispatch takes.
fn taken(launch: &Launch, count: u64) -> Range<u64> {
    let base = numbers(launch).base;
    base..base + count
}

pub fn plan(case: &Case, plan: &Plan, count: u64) -> Checked {
    let of = |reads, writes| {
        let stage = move |launch: &&Launch| (launch.step.reads, launch.step.writes) == (reads, writes);
        plan.launches().iter().filter(stage).collect::<Vec<_>>()
    };
    let over_segments = of(Reads::Elements, Writes::Results);
    let over_tiles = of(Reads::Elements, Writes::Partials);
    let over_marks = of(Reads::Partials, Writes::Results);
    prop_assert_eq!(over_segments.len() + over_tiles.len() + over_marks.len(), plan.launches().len());
    segments(case, &over_segments, count)?;
    let Some(first) = over_segments.first() else { return Ok(()) };
    let (len, tile) = (case.len(), numbers(first).tile);
    bound(case, ByteRange { offset: 0, size: plan.marks() })?;
    prop_assert!(plan.marks() >= len.div_ceil(tile) * 16);
    if len <= tile {
        prop_assert!(over_tiles.is_empty() && over_marks.is_empty());
        return Ok(());
    }
    cut(case, &over_tiles, tile)?;
    join(case, &over_marks, (count, tile))
}

/// Short and medium segments, window by window.
fn segments(case: &Case, launches: &[&Launch], count: u64) -> Checked {
    let len = case.len();
    let slab = |launch: &Launch| taken(launch, param(launch, "groups"));
    let slabs: Vec<_> =
        launches.iter().filter(|launch| param(launch, "index") == 0).map(|first| slab(first)).collect();
    tiles(slabs.iter().cloned(), count)?;
    for range in slabs {
        let windows: Vec<_> = launches.iter().copied().filter(|launch| slab(launch) == range).collect();
        let written = steps(case, &windows, len, |launch| {
            let Numbers { tile, short, team, .. } = numbers(launch);
            prop_assert!(short <= tile && param(launch, "count") == len);
            // A segment that starts in the window may end a tile after the window.
            let taken = window(launch);
            let covered = taken.start..len.min(taken.end + tile);
            // A queue of medium segments, or marks of a long one; and a short one of its own.
            let queued = case.workgroup() >> team;
            let turns = queued * (tile.div_ceil(case.workgroup() * 16) + 20);
            let turns = turns + (len / tile).div_ceil(case.workgroup());
            Ok(Step { taken, covered, values: range.end - range.start, team, turns })
        })?;
        for (number, launch) in windows.iter().enumerate() {
            prop_assert_eq!(numbers(launch).is_last, number + 1 == windows.len());
            prop_assert_eq!(written[number].clone(), range.clone());
            let Some((_, bytes)) = input(launch, LIST) else { return Err(TestCaseError::fail("no offsets")) };
            bound(case, bytes)?;
            prop_assert_eq!((bytes.offset, bytes.end()), (range.start * 4, (range.end + 1) * 4));
        }
    }
    Ok(())
}

/// Long segments are cut at tiles; one may start in the tile before.
fn cut(case: &Case, launches: &[&Launch], tile: u64) -> Checked {
    let all = case.len().div_ceil(tile);
    let written = steps(case, launches, all, |launch| {
        let taken = taken(launch, param(launch, "groups"));
        let covered = (taken.start * tile).saturating_sub(tile)..case.len().min(taken.end * tile);
        prop_assert_eq!((param(launch, "index"), launch.level), (covered.start, 1));
        let values = taken.end - taken.start;
        Ok(Step { taken, covered, values, team: numbers(launch).team, turns: 0 })
    })?;
    tiles(written, all)
}

/// The tiles of each long segment are joined: every dispatch looks at all marks, for the segments that are its own.
fn join(case: &Case, launches: &[&Launch], (count, tile): (u64, u64)) -> Checked {
    tiles(launches.iter().map(|launch| taken(launch, param(launch, "len"))), count)?;
    for launch in launches {
        let Some((0, bytes)) = scratch(launch, INPUT) else {
            return Err(TestCaseError::fail("no scratch memory"));
        };
        bound(case, bytes)?;
        let all = case.len().div_ceil(tile);
        prop_assert_eq!((bytes.offset, bytes.size), (0, words(all * case.acc())));
        prop_assert_eq!((param(launch, "groups"), launch.level), (all, 2));
        teams(case, launch, numbers(launch).team)?;
        let range = taken(launch, param(launch, "len"));
        prop_assert_eq!(writes(case, launch, range.end - range.start)?, range);
    }
    Ok(())
}
