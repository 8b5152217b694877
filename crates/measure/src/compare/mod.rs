//! Compares two records: pairs rows of the same work, and judges each pair.

mod verdict;

use std::collections::HashMap;

pub use verdict::{Judged, Verdict};

use crate::row::{Row, What};

/// A row and its counterpart in the other record.
pub enum Pair<'a, W: What> {
    /// In both records.
    Both(&'a Row<W>, &'a Row<W>),
    /// In the first only.
    OnlyA(&'a Row<W>),
    /// In the second only.
    OnlyB(&'a Row<W>),
}

impl<'a, W: What> Pair<'a, W> {
    /// Returns a row that says what was measured, and the judgement: B is slower if it takes over `threshold` percent longer than A.
    pub fn judged(&self, threshold: f64) -> (&'a Row<W>, Judged) {
        match *self {
            Pair::Both(a, b) => (b, verdict::judge(a, b, threshold)),
            Pair::OnlyA(a) => (a, verdict::only(a, Verdict::OnlyInA)),
            Pair::OnlyB(b) => (b, verdict::only(b, Verdict::OnlyInB)),
        }
    }

    /// Returns true if both records have the row.
    pub fn is_in_both(&self) -> bool {
        matches!(self, Pair::Both(..))
    }
}

/// Pairs rows, in the order of the first record, then rows that only the second has. If a record has equal rows, they pair in order.
/// A row that replays a document also pairs with a plain row.
pub fn pairs<'a, W: What>(a: &'a [Row<W>], b: &'a [Row<W>]) -> Vec<Pair<'a, W>> {
    let mut counterparts: Vec<Option<usize>> = vec![None; a.len()];
    let mut taken = vec![false; b.len()];
    let exactly = |row: &Row<W>| row.what.clone();
    let one_is_plain = |row: &Row<W>, other: &Row<W>| {
        row.what == row.what.plain() || other.what == other.what.plain() || row.what == other.what
    };
    for key in [&exactly as &dyn Fn(&Row<W>) -> W, &|row| row.what.plain()] {
        let mut waiting: HashMap<W, Vec<usize>> = HashMap::new();
        for (index, row) in b.iter().enumerate().rev().filter(|(index, _)| !taken[*index]) {
            waiting.entry(key(row)).or_default().push(index);
        }
        for (row, counterpart) in a.iter().zip(&mut counterparts).filter(|(_, known)| known.is_none()) {
            let same = waiting.get_mut(&key(row));
            let found = same.and_then(|same| same.pop_if(|index| one_is_plain(row, &b[*index])));
            found.inspect(|index| taken[*index] = true);
            *counterpart = found;
        }
    }
    let of_a = a.iter().zip(counterparts).map(|(row, counterpart)| match counterpart {
        Some(index) => Pair::Both(row, &b[index]),
        None => Pair::OnlyA(row),
    });
    let only_b = b.iter().zip(taken).filter(|(_, taken)| !taken).map(|(row, _)| Pair::OnlyB(row));
    of_a.chain(only_b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{LadderFigures, LadderWork, Machine, Status, Times};

    /// Makes a row with a median of `ms` milliseconds and an interquartile range of `iqr`.
    fn row(rung: &str, ms: f64, iqr: f64) -> Row {
        let [rung, element, op] = [rung, "f32", "sum"].map(str::to_owned);
        let what = LadderWork {
            preset: None,
            row: None,
            rung,
            finish: None,
            element,
            op,
            n: 4096,
            workgroup_size: None,
        };
        let timing = Some("gpu".to_owned());
        let times = Times { median: Some(ms), iqr: Some(iqr), timing, ..Times::default() };
        let machine = Machine { adapter: "GPU".to_owned(), backend: "vulkan".to_owned() };
        let figures = LadderFigures::default();
        Row { what, times, figures, status: Status::Pass, reason: None, machine }
    }

    fn verdicts(a: &[Row], b: &[Row], threshold: f64) -> Vec<Verdict> {
        pairs(a, b).iter().map(|pair| pair.judged(threshold).1.verdict).collect()
    }

    #[test]
    fn verdicts_follow_the_threshold_and_the_spread() {
        use Verdict::{Faster, Noise, OnlyInA, OnlyInB, Same, Slower};
        let rungs = |rows: [(&str, f64, f64); 4]| rows.map(|(rung, ms, iqr)| row(rung, ms, iqr));
        let a =
            rungs([("first", 1.0, 0.01), ("second", 1.0, 0.01), ("third", 1.0, 0.3), ("fourth", 1.0, 0.01)]);
        let b =
            rungs([("first", 1.04, 0.01), ("second", 0.8, 0.01), ("third", 1.2, 0.3), ("fifth", 1.0, 0.01)]);
        assert_eq!(verdicts(&a, &b, 5.0), [Same, Faster, Noise, OnlyInA, OnlyInB]);
        assert_eq!(verdicts(&a, &b, 3.0)[0], Slower);
        // Noisy samples are no regression, nor are slow medians with equal fastest samples.
        let (mut a, mut b) = (a.clone(), b.clone());
        b[0].times.spread_percent = Some(20.0);
        (a[1].times.min, b[1].times.min) = (Some(0.9), Some(0.89));
        assert_eq!(verdicts(&a, &b, 3.0)[..2], [Noise; 2]);
    }

    #[test]
    fn a_wrong_result_is_a_regression_and_a_skipped_row_is_not() {
        let a = ["first", "second", "third"].map(|rung| row(rung, 1.0, 0.01));
        let mut b = a.clone();
        b[0].status = Status::Skipped;
        b[1].times.timing = Some("wall".to_owned());
        b[2].status = Status::Fail;
        let verdicts = verdicts(&a, &b, 5.0);
        assert_eq!(verdicts, [Verdict::Skipped, Verdict::Skipped, Verdict::Wrong]);
        assert!(verdicts[2].is_regression() && !verdicts[0].is_regression());
    }

    #[test]
    fn a_documents_row_matches_a_plain_row_but_no_other_documents() {
        let [plain, tga, opencl] = [None, Some("tga"), Some("opencl")].map(|preset| {
            let mut row = row("tile", 1.0, 0.01);
            row.what.preset = preset.map(str::to_owned);
            [row]
        });
        assert_eq!(verdicts(&plain, &tga, 5.0), [Verdict::Same]);
        assert_eq!(verdicts(&tga, &opencl, 5.0), [Verdict::OnlyInA, Verdict::OnlyInB]);
    }
}
