//! Judges a pair of rows: faster, slower, or within the noise.

use serde::Serialize;

use crate::row::{Row, Status, What, significant};

/// The verdict on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Slower by more than the threshold: a regression.
    Slower,
    /// Wrong in B and not in A: a regression.
    Wrong,
    /// Faster by more than the threshold.
    Faster,
    /// Within the threshold.
    Same,
    /// Beyond the threshold, but samples spread, or the fastest samples differ by less.
    Noise,
    /// Measured in A only.
    OnlyInA,
    /// Measured in B only.
    OnlyInB,
    /// Cannot be compared.
    Skipped,
}

impl Verdict {
    /// All verdicts, most important first.
    pub const ALL: [Verdict; 8] = [
        Verdict::Wrong,
        Verdict::Slower,
        Verdict::Faster,
        Verdict::Same,
        Verdict::Noise,
        Verdict::OnlyInA,
        Verdict::OnlyInB,
        Verdict::Skipped,
    ];

    /// Returns the word in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Slower => "slower",
            Verdict::Wrong => "wrong",
            Verdict::Faster => "faster",
            Verdict::Same => "same",
            Verdict::Noise => "noise",
            Verdict::OnlyInA => "only in A",
            Verdict::OnlyInB => "only in B",
            Verdict::Skipped => "skipped",
        }
    }

    /// Returns true if it makes the exit status 1.
    pub const fn is_regression(self) -> bool {
        matches!(self, Verdict::Slower | Verdict::Wrong)
    }
}

/// A verdict and its reasons.
#[derive(Serialize)]
pub struct Judged {
    /// Median of A in milliseconds.
    pub a_ms: Option<f64>,
    /// Median of B in milliseconds.
    pub b_ms: Option<f64>,
    /// Change from A to B, in percent of A.
    pub change_percent: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// The reason, unless the times give it.
    pub reason: Option<String>,
}

/// Judges a row without counterpart.
pub(super) fn only<W: What>(row: &Row<W>, verdict: Verdict) -> Judged {
    let ms = row.time();
    let in_a = verdict == Verdict::OnlyInA;
    Judged {
        a_ms: ms.filter(|_| in_a),
        b_ms: ms.filter(|_| !in_a),
        change_percent: None,
        verdict: if row.status == Status::Skipped { Verdict::Skipped } else { verdict },
        reason: row.reason.clone(),
    }
}

/// Judges a row and its counterpart.
pub(super) fn judge<W: What>(a: &Row<W>, b: &Row<W>, threshold: f64) -> Judged {
    let (a_ms, b_ms) = (a.time(), b.time());
    let judged = |change_percent, verdict, reason| Judged { a_ms, b_ms, change_percent, verdict, reason };
    if b.status == Status::Fail && a.status != Status::Fail {
        return judged(None, Verdict::Wrong, b.reason.clone());
    }
    let (Some(before), Some(after)) = (a_ms, b_ms) else {
        let why = [("A", a, a_ms), ("B", b, b_ms)].into_iter().find(|(.., ms)| ms.is_none());
        let why = why.map(|(name, row, _)| format!("{name}: {}", row.reason.as_deref().unwrap_or("no time")));
        return judged(None, Verdict::Skipped, why);
    };
    if a.times.timing != b.times.timing {
        let clock = |row: &Row<W>| row.times.timing.as_deref().unwrap_or("unknown").to_owned();
        let why = format!("A has {} time, B has {} time", clock(a), clock(b));
        return judged(None, Verdict::Skipped, Some(why));
    }
    let percent = |before: f64, after: f64| 100.0 * (after / before - 1.0);
    let change = percent(before, after);
    let spread = a.times.iqr.unwrap_or(0.0).max(b.times.iqr.unwrap_or(0.0));
    // The fastest samples are the least disturbed.
    let fastest = a.times.min.zip(b.times.min).map_or(change.abs(), |(a, b)| percent(a, b) * change.signum());
    let is_noisy = a.times.is_noisy() || b.times.is_noisy();
    let verdict = if change.abs() <= threshold {
        Verdict::Same
    } else if is_noisy || (after - before).abs() <= spread || fastest <= threshold {
        Verdict::Noise
    } else if change > 0.0 {
        Verdict::Slower
    } else {
        Verdict::Faster
    };
    judged(Some(significant(change)), verdict, None)
}
