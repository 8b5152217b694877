//! Many results of equal parts: segments, and columns of an array.

use std::ops::Range;

use halofold::reduce::Plan;
use halofold::reduce::plan::{Launch, Own, Src};
use proptest::prelude::*;

use super::case::Case;
use super::check::{Checked, holds, holds_partials, teams, tiles, turns, window, words, writes};

/// The numbers of a launch over parts.
#[derive(Clone, Copy)]
struct Numbers {
    len: u64,
    chunk: u64,
    chunks: u64,
    base: u64,
    team: u32,
    /// Columns that a team takes side by side.
    width: u64,
    onto: bool,
    /// Chunks that it takes.
    count: u64,
}

fn numbers(launch: &Launch, inner: u64) -> Result<Numbers, TestCaseError> {
    let Own::Parts { len, chunk, chunks, base, team, columns, onto } = launch.params.own else {
        return Err(TestCaseError::fail(format!("no parts: {launch:?}")));
    };
    prop_assert_eq!(columns.map_or(1, |[inner, _]| u64::from(inner)), inner);
    let width = columns.map_or(1, |[_, width]| u64::from(width));
    let count = u64::from(launch.params.groups) / inner.div_ceil(width);
    let [len, chunk, chunks, base] = [len, chunk, chunks, base].map(u64::from);
    Ok(Numbers { len, chunk, chunks, base, team, width, onto: onto == 1, count })
}

impl Numbers {
    fn range(self) -> Range<u64> {
        self.base..self.base + self.count
    }

    /// Loop turns over this many rows.
    fn turns(self, rows: u64) -> Checked {
        turns(rows.div_ceil(((1 << self.team) / self.width).max(1)))
    }
}

/// Parts of `len` rows of `inner` elements.
pub fn plan(case: &Case, plan: &Plan, count: u64, len: u64, inner: u64) -> Checked {
    let (over, merges): (Vec<&Launch>, Vec<&Launch>) =
        plan.launches().iter().partition(|launch| matches!(launch.src, Src::Inputs { .. }));
    prop_assert!(over.iter().all(|launch| launch.level == 0));
    prop_assert!(merges.iter().all(|launch| launch.level == 1));
    prop_assert!(plan.launches().iter().all(|launch| u64::from(launch.params.count) == len));
    let (left, chunks) = chunks(case, &over, (count, len, inner))?;
    if merges.is_empty() {
        prop_assert_eq!(plan.scratch(), [0; 2]);
        return tiles(left, count * inner);
    }
    let each = numbers(merges[0], inner)?.len;
    prop_assert!(each <= chunks);
    tiles(left, count * inner * each)?;
    prop_assert_eq!(plan.scratch(), [words(count * inner * each * case.acc()), 0]);
    let mut parts = Vec::new();
    let mut written = Vec::new();
    for launch in merges {
        let numbers = numbers(launch, inner)?;
        let range = numbers.range();
        holds_partials(case, launch, range.start * each * inner..range.end * each * inner)?;
        prop_assert_eq!((numbers.len, numbers.chunks), (each, 1));
        teams(case, launch, numbers.team)?;
        numbers.turns(each)?;
        written.push(writes(case, launch, numbers.count * inner)?);
        parts.push(range);
    }
    tiles(parts, count)?;
    tiles(written, count * inner)
}

/// Launches over chunks of the parts: where they write, and the chunks of a part.
fn chunks(
    case: &Case,
    launches: &[&Launch],
    (count, len, inner): (u64, u64, u64),
) -> Result<(Vec<Range<u64>>, u64), TestCaseError> {
    let chunks = launches.first().map_or(Ok(1), |launch| numbers(launch, inner).map(|it| it.chunks))?;
    let mut left: Vec<Range<u64>> = Vec::new();
    let mut taken = Vec::new();
    for launch in launches {
        let numbers = numbers(launch, inner)?;
        let chunk = numbers.chunk;
        let row = |number: u64| number / chunks * len + number % chunks * chunk;
        prop_assert_eq!((numbers.len, numbers.chunks), (len, chunks));
        prop_assert!(chunks * chunk >= len && (chunks - 1) * chunk < len);
        let range = numbers.range();
        let covered = row(range.start) * inner..row(range.end) * inner;
        prop_assert_eq!(window(&launch.params), covered.clone());
        holds(case, launch, covered.clone(), covered.start)?;
        teams(case, launch, numbers.team)?;
        numbers.turns(chunk)?;
        let written = writes(case, launch, numbers.count * inner)?;
        if numbers.onto {
            // It goes on where the part's first window started.
            let first = left.last().cloned().unwrap_or(0..0);
            prop_assert!(first.start == written.start && written.end <= first.end);
            prop_assert_eq!(range.start / chunks, (range.end - 1) / chunks);
        } else {
            left.push(written);
        }
        taken.push(range);
    }
    tiles(taken, count * chunks)?;
    Ok((left, chunks))
}
