//! Plans as lists of numbers, each distinct one once.

use std::collections::HashMap;

use halofold::reduce::plan::{Bytes, Dst, Launch, Src, Stage, Writes};
use halofold::reduce::{Monoid, Plan};
use serde::Serialize;

/// Where a launch reads or writes: the page's numbers for buffers.
const INPUT: u64 = 0;
const SCRATCH: u64 = 1;
const OUTPUT: u64 = 3;
const NOTHING: u64 = 4;

/// Every distinct plan, as JSON.
#[derive(Default)]
pub struct Plans {
    lines: Vec<String>,
    known: HashMap<String, usize>,
}

/// A plan as the page reads it. Scratch memory and outputs are counted in values, so that operators whose accumulators differ in
/// size have the same plan; inputs in bytes.
#[derive(Serialize)]
struct Exported {
    /// The values of overrides.
    constants: Vec<(&'static str, f64)>,
    /// The combinations on the longest way to a result.
    depth: u64,
    results: u64,
    workgroups: u64,
    /// Accumulators in either scratch buffer.
    scratch: [u64; 2],
    /// Bytes of the partials buffer and of marks.
    partials: u64,
    marks: u64,
    launches: Vec<Step>,
}

/// A launch: the number of its stage, where it reads and writes, its grid, its numbers without the zeros at their end, and the
/// bytes of offsets that it reads.
#[derive(Serialize)]
struct Step(usize, Vec<u64>, Vec<u64>, [u32; 2], Vec<u32>, Vec<u64>);

impl Plans {
    /// Adds a plan of an operator, whose stages are numbered by their places in a list, and answers its number.
    pub fn add(&mut self, monoid: &Monoid, plan: &Plan, stages: &[Stage]) -> usize {
        let values = |bytes: u64, size: u64| {
            assert!(bytes.is_multiple_of(size), "{bytes} bytes are no values of {size}");
            bytes / size
        };
        let mut constants = Vec::new();
        for launch in plan.launches() {
            for constant in launch.stage.overrides() {
                if !constants.contains(&constant) {
                    constants.push(constant);
                }
            }
        }
        let exported = Exported {
            constants,
            depth: plan.depth(),
            results: plan.results(),
            workgroups: plan.workgroups(),
            scratch: plan.scratch().map(|bytes| values(bytes, monoid.acc_size())),
            partials: plan.partials(),
            marks: plan.marks(),
            launches: plan.launches().iter().map(|launch| Step::of(monoid, launch, stages)).collect(),
        };
        self.line(serde_json::to_string(&exported).expect("numbers are JSON"))
    }

    fn line(&mut self, line: String) -> usize {
        let next = self.lines.len();
        let number = *self.known.entry(line.clone()).or_insert(next);
        if number == next {
            self.lines.push(line);
        }
        number
    }

    /// The plans as JSON, in the order of their numbers.
    pub fn into_lines(self) -> Vec<String> {
        self.lines
    }
}

impl Step {
    fn of(monoid: &Monoid, launch: &Launch, stages: &[Stage]) -> Self {
        let number = stages.iter().position(|stage| same_text(stage, &launch.stage));
        let range = |Bytes { offset, size }| [offset, size];
        let values = |buffer: u64, bytes: Bytes, size: u64| {
            let [offset, bytes] = range(bytes).map(|bytes| bytes / size);
            vec![buffer, offset, bytes]
        };
        let acc = monoid.acc_size();
        let out = if launch.stage.writes == Writes::Partials { acc } else { monoid.out_size() };
        let from = match launch.src {
            Src::Inputs { first, next, second, .. } => {
                [INPUT].into_iter().chain([Some(first), next.or(second)].into_iter().flatten().flat_map(range)).collect()
            }
            Src::Scratch(buffer, bytes) => values(SCRATCH + buffer as u64, bytes, acc),
            _ => vec![NOTHING],
        };
        let to = match launch.dst {
            Dst::Scratch(buffer, bytes) => values(SCRATCH + buffer as u64, bytes, acc),
            Dst::Output(bytes) => values(OUTPUT, bytes, out),
            _ => unreachable!("a launch writes scratch memory or the output"),
        };
        let mut words = launch.params.words().to_vec();
        words.truncate(words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1));
        let offsets = launch.offsets.map(range).map_or_else(Vec::new, Vec::from);
        Step(number.expect("a plan has only stages that were announced"), from, to, launch.grid, words, offsets)
    }
}

/// Whether two stages have one text: workgroup size and tile are constants in it.
pub fn same_text(a: &Stage, b: &Stage) -> bool {
    (a.kernel, a.reads, a.writes) == (b.kernel, b.reads, b.writes)
}

/// The distinct texts among some stages.
pub fn distinct(stages: Vec<Stage>) -> Vec<Stage> {
    let mut texts: Vec<Stage> = Vec::new();
    for stage in stages {
        if !texts.iter().any(|known| same_text(known, &stage)) {
            texts.push(stage);
        }
    }
    texts
}
