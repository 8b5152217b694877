//! Checks of the GPU's states of a piece against the CPU's.

use halofold::Element;
use halofold::reduce::exact::State;
use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{Op, Scalar};
use serde::{Deserialize, Serialize};

use super::layout::{Layout, Share};
use super::op;
use super::parts::Part;

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Check {
    /// Not asked for.
    Unchecked,
    /// All is right.
    Right,
    /// Some result cannot be checked: it depends on the order in which floats are combined.
    Undecided,
    /// A result is wrong: a description.
    Wrong(String),
}

impl Check {
    /// That of a verdict.
    pub fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Right => Check::Right,
            Verdict::Undecided => Check::Undecided,
            Verdict::Wrong(mismatch) => Check::Wrong(mismatch),
        }
    }

    /// A state must have all bits of the expected one.
    fn of_states(expected: &State, state: &[u8]) -> Self {
        match State::from_bytes(state) {
            Ok(state) if state.words() == expected.words() => Check::Right,
            _ => Check::Wrong("the CPU's state is another".to_owned()),
        }
    }

    /// Its name; none where none was asked for.
    pub fn name(&self) -> &'static str {
        match self {
            Check::Unchecked => "",
            Check::Right => "verified",
            Check::Undecided => "undecided",
            Check::Wrong(_) => "WRONG",
        }
    }

    /// Keeps the worse of two; of two wrong ones the first.
    pub fn worsen(&mut self, other: &Check) {
        match (&self, other) {
            (Check::Wrong(_), _) | (_, Check::Unchecked | Check::Right) => {}
            _ => *self = other.clone(),
        }
    }
}

/// The CPU's results of a share: one for each result of the GPU's.
pub enum OnCpu {
    /// Results, and how far off others may be.
    Results(Vec<reference::Expected>),
    /// States, all bits of which are expected.
    States(Vec<State>),
}

/// Computes a share on the CPU, of one source or of a pair.
pub fn expected(part: Part, share: &Share, pieces: &[&[u8]]) -> OnCpu {
    let element = part.element;
    let size = element.size() as usize;
    let lines = |piece: &[u8], result: u64| line(piece, size, share, result);
    let second = if part.is_squared {
        pieces.first()
    } else {
        pieces.get(1).filter(|_| part.op.is_some_and(op::takes_two))
    };
    let results = 0..share.results();
    if let Some((op, format)) = part.op.zip(part.format()) {
        let state = |result| {
            let second = second.map(|second| lines(second, result));
            let mut first = lines(pieces[0], result);
            if part.is_masked {
                replace_masked(&mut first, &lines(pieces[1], result), size);
            }
            let mut state = State::new(format);
            state.add_of(op, element, &first, second.as_deref());
            state
        };
        return OnCpu::States(results.map(state).collect());
    }
    let one = |result| {
        let mask = pieces.get(1).filter(|_| part.is_masked).map(|piece| lines(piece, result));
        let mut inputs: Vec<_> =
            pieces.iter().take(1).chain(second).map(|piece| lines(piece, result)).collect();
        let is_kept = part.skips_nan || part.is_masked;
        let kept = is_kept.then(|| keep(element, &mut inputs, mask.as_deref(), part.skips_nan));
        let mut expected =
            reference::reduce(part.op?, element, &inputs[0], inputs.get(1).map(Vec::as_slice))?;
        if let (Some(kept), Scalar::At { index, .. }) = (kept, &mut expected.answer) {
            *index = kept.get(*index as usize).map_or(*index, |place| *place as u64);
        }
        Some(expected)
    };
    OnCpu::Results(results.filter_map(one).collect())
}

/// Removes the elements that a mask does not keep, or of which one is a NaN, and returns the places of the others.
fn keep(element: Element, inputs: &mut [Vec<u8>], mask: Option<&[u8]>, skips_nan: bool) -> Vec<usize> {
    let size = element.size() as usize;
    let is_number = |bytes: &[u8]| match *bytes {
        [a, b] => u16::from_le_bytes([a, b]) & 0x7fff <= 0x7c00,
        [a, b, c, d] => !f32::from_le_bytes([a, b, c, d]).is_nan(),
        _ => !bytes.try_into().is_ok_and(|bytes| f64::from_le_bytes(bytes).is_nan()),
    };
    let at = |place: &usize| place * size..(place + 1) * size;
    let places = 0..inputs[0].len() / size;
    let is_kept = |place: &usize| {
        let is_masked = mask.is_some_and(|mask| mask[place * size] == 0);
        !is_masked && (!skips_nan || inputs.iter().all(|bytes| is_number(&bytes[at(place)])))
    };
    let kept: Vec<_> = places.filter(is_kept).collect();
    for bytes in inputs {
        *bytes = kept.iter().flat_map(|place| &bytes[at(place)]).copied().collect();
    }
    kept
}

/// Makes -0, which adds nothing, of the floats that a mask does not keep.
fn replace_masked(floats: &mut [u8], mask: &[u8], size: usize) {
    for (float, mask) in floats.chunks_exact_mut(size).zip(mask.chunks_exact(size)) {
        if mask[0] == 0 {
            float.fill(0);
            float[size - 1] = 0x80;
        }
    }
}

/// The elements of a piece, other ones in the place of those that its mask does not keep: none of these is equal to element number `found`.
pub fn without_masked(pieces: &[&[u8]], size: usize, found: u64) -> Vec<u8> {
    let other: Vec<u8> = pieces[0][found as usize * size..][..size].iter().map(|byte| !byte).collect();
    let mut items = pieces[0].to_vec();
    for (item, mask) in items.chunks_exact_mut(size).zip(pieces[1].chunks_exact(size)) {
        if mask[0] == 0 {
            item.copy_from_slice(&other);
        }
    }
    items
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

/// Judges the states that the GPU made of a share, by this many combinations in a row.
pub fn judge(
    part: Part,
    layout: &Layout,
    share: &Share,
    expected: &OnCpu,
    (states, depth): (&[u8], u64),
) -> Check {
    let checks: Vec<_> = match expected {
        OnCpu::Results(expected) => {
            let judged = expected.iter().zip(part.answers(states, share.len));
            judged.map(|(expected, answer)| Check::of(expected.judge(answer, depth))).collect()
        }
        OnCpu::States(expected) => {
            let judged = expected.iter().zip(states.chunks_exact(states.len() / expected.len().max(1)));
            judged.map(|(expected, state)| Check::of_states(expected, state)).collect()
        }
    };
    let op = part.op.map_or("", Op::name);
    let (first, last) = (share.before, share.before + share.len - 1);
    let mut all = Check::Right;
    for (result, check) in checks.into_iter().enumerate() {
        all.worsen(&match (check, layout) {
            (Check::Wrong(why), Layout::Whole) => {
                Check::Wrong(format!("`{op}` of elements {first} to {last}: {why}"))
            }
            (Check::Wrong(why), Layout::Axis(_)) => {
                let line = share.plane * share.inner + result as u64;
                Check::Wrong(format!("`{op}` of line {line}, positions {first} to {last}: {why}"))
            }
            (other, _) => other,
        });
    }
    all
}

#[cfg(test)]
mod tests {
    use halofold::reduce::Accuracy;

    use super::*;

    /// The check of one product after another, over shares of the whole.
    fn checks(pieces: &[(&[f32], f32)]) -> Vec<Check> {
        let part = Part {
            op: Some(Op::Product),
            element: Element::F32,
            accuracy: Accuracy::Fast,
            is_squared: false,
            skips_nan: false,
            is_masked: false,
        };
        let mut before = 0;
        let mut all = Check::Right;
        let mut seen = Vec::new();
        for (items, got) in pieces {
            let len = items.len() as u64;
            let share = Share { plane: 0, before, outer: 1, len, inner: 1, completes: false };
            before += len;
            let expected = expected(part, &share, &[bytemuck::cast_slice(items)]);
            all.worsen(&judge(part, &Layout::Whole, &share, &expected, (&got.to_ne_bytes(), 2)));
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
