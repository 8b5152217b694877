//! Holding what the GPU made of a piece against the CPU's word.

use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::reference::{self, Expected, Verdict};

use super::layout::{Layout, Share};
use super::slot::Outcome;

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// It was not asked for.
    Unchecked,
    /// All is right.
    Right,
    /// For something there is nothing to hold it against: the order in which floats are combined decides.
    Undecided,
    /// Something is wrong, and how.
    Wrong(String),
}

impl Check {
    /// Keeps the worse of two; of two wrong ones the first.
    pub fn worsen(&mut self, other: &Check) {
        match (&self, other) {
            (Check::Wrong(_), _) | (_, Check::Unchecked | Check::Right) => {}
            _ => *self = other.clone(),
        }
    }
}

/// What the CPU makes of a share: one for each result. `second` is of a pair.
pub fn expected(
    op: Op,
    element: Element,
    share: &Share,
    first: &[u8],
    second: Option<&[u8]>,
) -> Vec<Expected> {
    let lines = |bytes: &[u8], result: u64| line(bytes, element.size() as usize, share, result);
    let one = |result| {
        reference::reduce(op, element, &lines(first, result), second.map(|b| lines(b, result)).as_deref())
    };
    (0..share.results()).filter_map(one).collect()
}

/// The elements of one result.
pub fn line(bytes: &[u8], size: usize, share: &Share, result: u64) -> Vec<u8> {
    let [len, inner] = [share.len, share.inner].map(|n| n as usize);
    let (plane, column) = (result as usize / inner, result as usize % inner);
    if inner == 1 {
        return bytes[plane * len * size..][..len * size].to_vec();
    }
    let element = |row: usize| &bytes[((plane * len + row) * inner + column) * size..][..size];
    (0..len).flat_map(element).copied().collect()
}

/// Judges what the GPU made of a share.
pub fn judge(op: Op, layout: &Layout, share: &Share, expected: &[Expected], outcome: &Outcome) -> Check {
    let mut check = Check::Right;
    for (result, (expected, got)) in expected.iter().zip(&outcome.answers).enumerate() {
        check.worsen(&match expected.judge(*got, outcome.depth) {
            Verdict::Right => continue,
            Verdict::Undecided => Check::Undecided,
            Verdict::Wrong(mismatch) => {
                let (first, last) = (share.before, share.before + share.len - 1);
                Check::Wrong(match layout {
                    Layout::Whole => format!("`{op}` of elements {first} to {last}: {mismatch}"),
                    Layout::Axis(_) => {
                        let result = share.plane * share.inner + result as u64;
                        format!("`{op}` for result {result} of positions {first} to {last}: {mismatch}")
                    }
                })
            }
        });
    }
    check
}

#[cfg(test)]
mod tests {
    use halofold::Value;
    use halofold::reduce::Answer;

    use super::*;

    /// The check of one answer after another, over shares of the whole.
    fn checks(pieces: &[(&[f32], f32)]) -> Vec<Check> {
        let mut before = 0;
        let mut all = Check::Right;
        let mut seen = Vec::new();
        for (items, got) in pieces {
            let len = items.len() as u64;
            let share = Share { plane: 0, before, outer: 1, len, inner: 1, completes: false };
            before += len;
            let outcome = Outcome {
                answers: vec![Answer::Value(Value::F32(*got))],
                place: None,
                depth: 2,
                gpu_ms: None,
            };
            let expected = expected(Op::Product, Element::F32, &share, bytemuck::cast_slice(items), None);
            all.worsen(&judge(Op::Product, &Layout::Whole, &share, &expected, &outcome));
            seen.push(all.clone());
        }
        seen
    }

    #[test]
    fn the_worst_verdict_stays() {
        let seen = checks(&[
            (&[2.0, 0.5], 1.0),
            (&[1e30, 1e30, 1e-30, 1e-30], 0.0),
            (&[2.0, 3.0], 7.0),
            (&[2.0, 3.0], 6.0),
        ]);
        assert_eq!(seen[..2], [Check::Right, Check::Undecided]);
        assert!(matches!(&seen[2], Check::Wrong(how) if how.contains("elements 6 to 7: got 7, expected 6")));
        assert_eq!(seen[3], seen[2]);
    }

    #[test]
    fn lines_run_along_the_axis() {
        let share = Share { plane: 0, before: 0, outer: 2, len: 3, inner: 2, completes: true };
        let bytes: Vec<u8> = (0..12).collect();
        assert_eq!(line(&bytes, 1, &share, 1), [1, 3, 5]);
        assert_eq!(line(&bytes, 1, &share, 2), [6, 8, 10]);
        let segments = Share { inner: 1, outer: 4, ..share };
        assert_eq!(line(&bytes, 1, &segments, 3), [9, 10, 11]);
    }
}
