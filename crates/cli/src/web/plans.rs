//! Plans as the page reads them, each distinct one once.

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

#[derive(Default)]
pub struct Plans(pub IndexSet<String>);

/// A plan as the page reads it: the values of overrides, the combinations on the longest way to a result, accumulators in either
/// scratch buffer, bytes of the partials buffer and of marks.
///
/// Places are counted in values, not in bytes, so that operators whose elements or accumulators differ in size share a plan.
#[derive(Serialize)]
struct Exported {
    constants: Vec<(&'static str, u32)>,
    depth: u64,
    results: u64,
    workgroups: u64,
    scratch: [u64; 2],
    partials: u64,
    marks: u64,
    launches: Vec<Launch>,
}

/// A dispatch: the number of its stage, where it reads and writes, its grid and its parameters. A place is a buffer, and one or two
/// ranges of it.
#[derive(Serialize)]
struct Launch {
    stage: usize,
    from: Vec<u64>,
    to: Vec<u64>,
    grid: [u32; 2],
    params: Vec<u32>,
}

impl Plans {
    /// Adds a plan of an operator, whose stages are numbered by their places in a list, and returns its number.
    pub fn add(&mut self, monoid: &Monoid, plan: &Plan, stages: &[Stage]) -> usize {
        let overrides = plan.launches().iter().flat_map(|launch| launch.step.overrides());
        let constants = each_once(overrides.map(|(name, value)| (name, value as u32)));
        let exported = Exported {
            constants,
            depth: plan.depth(),
            results: plan.results(),
            workgroups: plan.workgroups(),
            scratch: plan.scratch().map(|bytes| values(bytes, monoid.acc_size())),
            partials: plan.partials(),
            marks: plan.marks(),
            launches: plan.launches().iter().map(|launch| Launch::of(monoid, launch, stages)).collect(),
        };
        self.0.insert_full(serde_json::to_string(&exported).expect("numbers are JSON")).0
    }
}

impl Launch {
    fn of(monoid: &Monoid, launch: &Pass<Stage>, stages: &[Stage]) -> Self {
        let stage =
            stages.iter().position(|stage| same_text(stage, &launch.step)).expect("a stage of the list");
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
        Launch { stage, from, to, grid: launch.grid, params: launch.words().to_vec() }
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
