//! Plans as lists of numbers, each distinct one once.

use halofold::reduce::plan::{Stage, Writes};
use halofold::reduce::{Monoid, Plan};
use halofold::{Binding, Pass};
use indexmap::IndexSet;
use serde::Serialize;

use crate::lists::each_once;

const INPUT: u64 = 0;
const SCRATCH: u64 = 1;
const OUTPUT: u64 = 3;
const NOTHING: u64 = 4;

/// Positions of the count, and of the workgroups in a row of the grid, among a launch's numbers.
const COUNT: usize = 3;
const ROW: usize = 5;

#[derive(Default)]
pub struct Plans(IndexSet<String>);

/// A plan as the page reads it: the values of overrides; the combinations on the longest way to a result; results; workgroups;
/// accumulators in either scratch buffer; bytes of the partials buffer and of marks; the count that all launches are given; launches.
///
/// Places are counted in values, not in bytes, so that operators whose elements or accumulators differ in size share a plan.
#[derive(Serialize)]
struct Exported(Vec<(&'static str, u32)>, u64, u64, u64, [u64; 2], u64, u64, u32, Vec<Step>);

/// A launch: the number of its stage, where it reads (nothing is said if it is where the launch before writes) and where it writes,
/// its grid, and its numbers without the count, the row and the zeros at their end.
#[derive(Serialize)]
struct Step(usize, Vec<u64>, Vec<u64>, [u32; 2], Vec<u32>);

impl Plans {
    /// Adds a plan of an operator, whose stages are numbered by their places in a list, and returns its number.
    pub fn add(&mut self, monoid: &Monoid, plan: &Plan, stages: &[Stage]) -> usize {
        let overrides = plan.launches().iter().flat_map(|launch| launch.step.overrides());
        let constants = each_once(overrides.map(|(name, value)| (name, value as u32)));
        let count = plan.launches().first().and_then(|launch| launch.param("count")).unwrap_or(0);
        let mut steps: Vec<_> =
            plan.launches().iter().map(|launch| Step::of(monoid, launch, stages, count)).collect();
        // A launch that reads what the one before wrote does not repeat the place.
        for step in (1..steps.len()).rev() {
            if steps[step].1 == steps[step - 1].2 {
                steps[step].1.clear();
            }
        }
        let exported = Exported(
            constants,
            plan.depth(),
            plan.results(),
            plan.workgroups(),
            plan.scratch().map(|bytes| values(bytes, monoid.acc_size())),
            plan.partials(),
            plan.marks(),
            count,
            steps,
        );
        self.0.insert_full(serde_json::to_string(&exported).expect("numbers are JSON")).0
    }

    pub fn into_lines(self) -> Vec<String> {
        self.0.into_iter().collect()
    }
}

impl Step {
    fn of(monoid: &Monoid, launch: &Pass<Stage>, stages: &[Stage], count: u32) -> Self {
        let number = stages.iter().position(|stage| same_text(stage, &launch.step));
        let (item, acc) = (monoid.stride(), monoid.acc_size());
        let out = if launch.step.writes == Writes::Partials { acc } else { monoid.out_size() };
        let place = |slot| {
            let (buffer, bytes, value) = match launch.binding(slot)? {
                Binding::Input(_, bytes) => (INPUT, bytes, item),
                Binding::Memory(buffer, bytes) => (SCRATCH + buffer as u64, bytes, acc),
                Binding::Output(bytes) => (OUTPUT, bytes, out),
                other => unreachable!("{other:?} is new"),
            };
            Some(vec![buffer, values(bytes.offset, value), values(bytes.size, value)])
        };
        let first = place(0).unwrap_or_else(|| vec![NOTHING]);
        // The second input, or the window that adjoins the first.
        let second = place(5).map_or_else(Vec::new, |place| place[1..].to_vec());
        let from = [first, second].concat();
        let to = place(1).expect("a launch writes scratch memory or the output");
        assert_eq!(launch.param("count"), Some(count), "all launches are given one count");
        let mut words = launch.words().to_vec();
        assert_eq!(words[ROW], launch.grid[0], "a row is the grid's");
        (words[COUNT], words[ROW]) = (0, 0);
        words.truncate(words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1));
        Step(number.expect("a plan has only stages that were announced"), from, to, launch.grid, words)
    }
}

fn values(bytes: u64, size: u64) -> u64 {
    assert!(bytes.is_multiple_of(size), "{bytes} bytes are no values of {size}");
    bytes / size
}

/// Returns true if two stages have one text: workgroup size and tile are constants in it.
fn same_text(a: &Stage, b: &Stage) -> bool {
    (a.kernel, a.reads, a.writes) == (b.kernel, b.reads, b.writes)
}

pub fn distinct(stages: Vec<Stage>) -> Vec<Stage> {
    let mut texts: Vec<Stage> = Vec::new();
    for stage in stages {
        if !texts.iter().any(|known| same_text(known, &stage)) {
            texts.push(stage);
        }
    }
    texts
}
