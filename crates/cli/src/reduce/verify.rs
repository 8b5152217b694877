//! Checks a GPU's results against the CPU's.

use halofold::reduce::exact::State;
use halofold::reduce::reference::{self, Verdict};
use halofold_fleet::host::Batch;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::block::Block;
use super::op::takes_two;
use super::parts::Part;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Check {
    #[default]
    Unchecked,
    Right,
    /// A result cannot be checked, because it depends on the order of additions.
    Undecided,
    Wrong(String),
}

impl From<Verdict> for Check {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Right => Check::Right,
            Verdict::Undecided => Check::Undecided,
            Verdict::Wrong(mismatch) => Check::Wrong(mismatch),
        }
    }
}

impl Check {
    pub fn is_unchecked(&self) -> bool {
        *self == Check::Unchecked
    }

    /// Returns its name; `None` if nothing was checked.
    pub fn name(&self) -> &'static str {
        match self {
            Check::Unchecked => "",
            Check::Right => "verified",
            Check::Undecided => "undecided",
            Check::Wrong(_) => "WRONG",
        }
    }

    /// Returns the worse of two checks; of two wrong ones, the first.
    pub fn worsen(&mut self, other: Check) {
        match (&self, &other) {
            (Check::Wrong(_), _) | (_, Check::Unchecked | Check::Right) => {}
            _ => *self = other,
        }
    }

    pub fn at(self, place: impl FnOnce() -> String) -> Self {
        match self {
            Check::Wrong(why) => Check::Wrong(format!("{}: {why}", place())),
            other => other,
        }
    }
}

/// Checks the states of a batch, each made by at most `depth` successive combinations.
pub fn states(part: Part, block: &Block, batch: &Batch, states: &[u8], depth: u64) -> Check {
    let size = part.state_size() as usize;
    let of_line = |(row, state): (usize, &[u8])| {
        let first = block.line(0, batch, row);
        let second = match (part.is_squared, takes_two(part.op)) {
            (true, _) => Some(first),
            (false, true) => Some(block.line(1, batch, row)),
            (false, false) => None,
        };
        state_of_line(part, (first, second), state, depth)
            .at(|| format!("`{}` of the {} elements of line {}", part.op, batch.len, batch.lines[row]))
    };
    let checks = states.par_chunks_exact(size).enumerate().map(of_line);
    checks.reduce(
        || Check::Right,
        |mut all, check| {
            all.worsen(check);
            all
        },
    )
}

fn state_of_line(part: Part, (first, second): (&[u8], Option<&[u8]>), state: &[u8], depth: u64) -> Check {
    let Part { op, element, .. } = part;
    if let Some(format) = part.format() {
        let mut expected = State::new(format);
        expected.add_of(op, element, first, second);
        return match State::from_bytes(state) {
            Ok(state) if state.words() == expected.words() => Check::Right,
            _ => Check::Wrong("the CPU's state is another".to_owned()),
        };
    }
    let n = first.len() as u64 / element.size();
    let expected = reference::reduce(op, element, first, second);
    match (expected, part.answers(state, n).next()) {
        (Some(expected), Some(answer)) => expected.judge(answer, depth).into(),
        _ => Check::Wrong("the CPU has no such result".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use halofold::Element;
    use halofold::reduce::{Accuracy, Op};

    use super::*;

    #[test]
    fn worst_check_stays() {
        let part =
            Part { op: Op::Product, element: Element::F32, accuracy: Accuracy::Fast, is_squared: false };
        let mut all = Check::Right;
        let mut seen = Vec::new();
        for (items, got) in [
            (&[2.0f32, 0.5][..], 1.0f32),
            (&[1e30, 1e30, 1e-30, 1e-30], 0.0),
            (&[2.0, 3.0], 7.0),
            (&[2.0, 3.0], 6.0),
        ] {
            all.worsen(state_of_line(part, (bytemuck::cast_slice(items), None), &got.to_ne_bytes(), 2));
            seen.push(all.clone());
        }
        assert_eq!(seen[..2], [Check::Right, Check::Undecided]);
        assert!(matches!(&seen[2], Check::Wrong(why) if why.contains("got 7, expected 6")));
        assert_eq!(seen[3], seen[2]);
    }
}
