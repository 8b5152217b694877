//! Many results of equal parts: segments, and columns of an array.

use std::ops::Range;

use halofold::reduce::Plan;
use proptest::prelude::*;

use super::case::Case;
use super::check::{Checked, INPUT, Launch, Step, input, param, steps, tiles, window, words};

/// The numbers of a dispatch over parts.
struct Numbers {
    len: u64,
    chunk: u64,
    chunks: u64,
    onto: bool,
    /// The chunks that it takes, counted over all parts.
    range: Range<u64>,
    team: u32,
    /// Columns that a team takes side by side.
    width: u64,
}

fn numbers(launch: &Launch, inner: u64) -> Result<Numbers, TestCaseError> {
    let [columns, width] = ["inner", "width"].map(|name| launch.param(name).map_or(1, u64::from));
    prop_assert_eq!(columns, inner);
    let own = ["chunk", "chunks", "base", "team", "onto", "groups"];
    let [chunk, chunks, base, team, onto, groups] = own.map(|name| param(launch, name));
    // Behind the parameters of all kernels.
    let len = u64::from(launch.words()[8]);
    let range = base..base + groups / inner.div_ceil(width);
    Ok(Numbers { len, chunk, chunks, onto: onto == 1, range, team: team as u32, width })
}

impl Numbers {
    /// A dispatch that covers these rows, of which a team takes `rows`.
    fn step(self, covered: Range<u64>, rows: u64, inner: u64) -> Step {
        let values = (self.range.end - self.range.start) * inner;
        let turns = rows.div_ceil(((1 << self.team) / self.width).max(1));
        let covered = covered.start * inner..covered.end * inner;
        Step { taken: self.range, covered, values, team: self.team, turns }
    }
}

/// Parts of `len` rows of `inner` elements.
pub fn plan(case: &Case, plan: &Plan, count: u64, len: u64, inner: u64) -> Checked {
    let (over, merges): (Vec<&Launch>, Vec<&Launch>) =
        plan.launches().iter().partition(|launch| input(launch, INPUT).is_some());
    prop_assert!(over.iter().all(|launch| launch.level == 0));
    prop_assert!(merges.iter().all(|launch| launch.level == 1));
    prop_assert!(plan.launches().iter().all(|launch| param(launch, "count") == len));
    let chunks = over.first().map_or(Ok(1), |launch| numbers(launch, inner).map(|it| it.chunks))?;
    let written = steps(case, &over, count * chunks, |launch| {
        let numbers = numbers(launch, inner)?;
        let chunk = numbers.chunk;
        prop_assert_eq!((numbers.len, numbers.chunks), (len, chunks));
        prop_assert!(chunks * chunk >= len && (chunks - 1) * chunk < len);
        let row = |number: u64| number / chunks * len + number % chunks * chunk;
        let rows = row(numbers.range.start)..row(numbers.range.end);
        let step = numbers.step(rows, chunk, inner);
        prop_assert_eq!(window(launch), step.covered.clone());
        Ok(step)
    })?;
    let mut left: Vec<Range<u64>> = Vec::new();
    for (launch, written) in over.iter().zip(written) {
        let Numbers { onto, range, .. } = numbers(launch, inner)?;
        if onto {
            // It goes on where the part's first window started.
            let first = left.last().cloned().unwrap_or(0..0);
            prop_assert!(first.start == written.start && written.end <= first.end);
            prop_assert_eq!(range.start / chunks, (range.end - 1) / chunks);
        } else {
            left.push(written);
        }
    }
    if merges.is_empty() {
        prop_assert_eq!(plan.scratch(), [0; 2]);
        return tiles(left, count * inner);
    }
    let each = numbers(merges[0], inner)?.len;
    prop_assert!(each <= chunks);
    tiles(left, count * inner * each)?;
    prop_assert_eq!(plan.scratch(), [words(count * inner * each * case.acc()), 0]);
    let written = steps(case, &merges, count, |launch| {
        let numbers = numbers(launch, inner)?;
        prop_assert_eq!((numbers.len, numbers.chunks), (each, 1));
        let rows = numbers.range.start * each..numbers.range.end * each;
        Ok(numbers.step(rows, each, inner))
    })?;
    tiles(written, count * inner)
}
