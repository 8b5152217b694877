//! The bench's cases: operator, element type, length, shape of results, and the ways to call.

use halofold::reduce::{Arity, Op, Shape};
use halofold::{Element, adapter, wgpu};

use crate::calls::Way;
use crate::common::{Extent, Machine};
use crate::exact::Data;

/// Independent calls, and calls that wait for one another.
const USUAL: &[Way] = &[Way::INDEPENDENT, Way::CHAINED];

/// The same, and exact ones.
const EXACT: &[Way] = &[Way::INDEPENDENT, Way::CHAINED, Way::EXACT];

/// The same, and kernels that lack something.
const ALL: &[Way] = &[Way::INDEPENDENT, Way::CHAINED, Way::EXACT, Way::NO_SUBGROUPS, Way::UNCHECKED];

/// The elements that one result is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Everything.
    Whole,
    /// Everything, with the number of elements on the GPU.
    Counted,
    /// Everything, added to what the output holds.
    Accumulate,
    /// Segments of this length.
    Fixed(u64),
    /// The same by a list of offsets.
    Offsets(u64),
    /// A list of offsets: lengths 1, 2, 4 … 2^20 in turn, and what is left.
    Skewed,
    /// The middle axis of `[outer, len, inner]`.
    Axis([u64; 3]),
}

impl Task {
    /// Its name in rows.
    fn name(self) -> &'static str {
        match self {
            Task::Whole => "whole",
            Task::Counted => "counted",
            Task::Accumulate => "accumulate",
            Task::Fixed(_) => "fixed",
            Task::Offsets(_) => "offsets",
            Task::Skewed => "skewed",
            Task::Axis([1, ..]) => "columns",
            Task::Axis(_) => "axis",
        }
    }

    /// Number of results, for shapes that may have many.
    pub fn results(self, n: u64) -> Option<u64> {
        match self {
            Task::Whole | Task::Counted | Task::Accumulate => None,
            Task::Fixed(len) | Task::Offsets(len) => Some(n / len),
            Task::Skewed => Some(self.offsets(n).len() as u64 - 1),
            Task::Axis([outer, _, inner]) => Some(outer * inner),
        }
    }

    /// The offsets, of a task that has some.
    pub fn offsets(self, n: u64) -> Vec<u32> {
        /// The longest of the skewed segments, as a power of two.
        const LONGEST: u32 = 20;
        match self {
            Task::Offsets(len) => (0..=n / len).map(|k| (k * len) as u32).collect(),
            Task::Skewed => {
                let mut offsets = vec![0];
                let mut lengths = (0..=LONGEST).map(|power| 1 << power).cycle();
                let mut at = 0;
                while at < n {
                    at = n.min(at + lengths.next().unwrap_or(n));
                    offsets.push(at as u32);
                }
                offsets
            }
            _ => Vec::new(),
        }
    }

    /// Its shape as a reducer takes it.
    pub fn shape(self, n: u64) -> Shape {
        match self {
            Task::Whole | Task::Counted => Shape::Whole,
            Task::Accumulate => Shape::Accumulate,
            Task::Fixed(len) => Shape::Segments { len },
            Task::Offsets(_) | Task::Skewed => Shape::Offsets { count: self.offsets(n).len() as u64 - 1 },
            Task::Axis([outer, len, inner]) => Shape::Axis { outer, len, inner },
        }
    }
}

/// One group of the bench.
#[derive(Clone, Copy)]
pub struct Case {
    /// The operator.
    pub op: Op,
    /// The element type.
    pub element: Element,
    /// Number of elements.
    pub n: u64,
    /// The shape of its results.
    pub task: Task,
    /// The ways to call.
    pub ways: &'static [Way],
    /// The magnitudes of its elements.
    pub data: Data,
}

impl Case {
    fn new(op: Op, element: Element, power: u32, task: Task) -> Self {
        Case { op, element, n: 1 << power, task, ways: USUAL, data: Data::Small }
    }

    /// Operator, shape and type, as a row has them.
    pub fn work(&self) -> [&'static str; 3] {
        let shape = match self.data {
            Data::Small => self.task.name(),
            Data::TwoScales => "two-scales",
            Data::Wide => "wide",
        };
        [self.op.name(), shape, self.element.name()]
    }

    /// The group's name.
    pub fn title(&self) -> String {
        let results = match self.task.results(self.n) {
            Some(results) => format!("/{results}"),
            None => String::new(),
        };
        let [op, shape, element] = self.work();
        format!("library/{op}/{shape}/{element}/2^{}{results}", self.n.ilog2())
    }

    /// Bytes of all inputs.
    pub fn bytes(&self) -> u64 {
        let inputs = if self.op.arity() == Arity::Two { 2 } else { 1 };
        inputs * self.n * self.element.size()
    }

    /// Checks that a device can run it; the error says what is missing.
    pub fn runnable(&self, device: &wgpu::Device) -> Result<(), String> {
        let monoid = self.op.over(self.element).map_err(|error| error.to_string())?;
        let besides = monoid.accumulates().filter(|_| self.task == Task::Accumulate).unwrap_or_default();
        let missing = (monoid.features() | besides) - device.features();
        if !missing.is_empty() {
            return Err(format!("needs {}, which this device lacks", adapter::feature_names(missing)));
        }
        let results = self.task.results(self.n).unwrap_or(1);
        let bytes = (self.n * self.element.size()).max(results * monoid.out_size());
        let most = device.limits().max_buffer_size;
        if bytes > most {
            return Err(format!("needs a buffer of {bytes} bytes, max_buffer_size is {most}"));
        }
        Ok(())
    }
}

/// Every case that suits a machine; those of one type follow one another.
pub fn all(machine: &Machine) -> Vec<Case> {
    let small = machine.extent() == Extent::Software;
    let largest = if small { 16 } else { 28 };
    let mut cases = Vec::new();
    let lengths: &[u32] = if small { &[10, 14, 16] } else { &[10, 16, 20, 22, 24, 26, 28] };
    let sum = |power, task| Case::new(Op::Sum, Element::F32, power, task);
    cases.extend(lengths.iter().map(|&power| {
        let ways = if power == largest { ALL } else { EXACT };
        Case { ways, ..sum(power, Task::Whole) }
    }));
    cases.extend(lengths.iter().map(|&power| sum(power, Task::Accumulate)));
    cases.push(sum(if small { 16 } else { 24 }, Task::Counted));
    let others =
        [Op::Min, Op::Max, Op::MinMax, Op::ArgMin, Op::Mean, Op::Variance, Op::L2, Op::LogSumExp, Op::Dot];
    cases.extend(others.map(|op| {
        let ways = if matches!(op, Op::Mean | Op::Dot) { EXACT } else { USUAL };
        Case { ways, ..Case::new(op, Element::F32, largest, Task::Whole) }
    }));
    cases.extend([1, 4, 16, 32, 64, 256, 1024, 65_536].map(|len| {
        let ways = match len {
            256 => ALL,
            1024 => EXACT,
            _ => USUAL,
        };
        Case { ways, ..sum(largest, Task::Fixed(len)) }
    }));
    cases.extend([Task::Offsets(256), Task::Skewed].map(|task| sum(largest, task)));
    cases.push(Case { ways: EXACT, ..sum(largest, Task::Offsets(1024)) });
    let arrays = if small {
        [[1, 256, 256], [1, 1024, 64], [16, 64, 64]]
    } else {
        [[1, 16_384, 16_384], [1, 1 << 20, 256], [256, 1024, 1024]]
    };
    cases.extend(arrays.map(|array| {
        let ways = if array == arrays[0] { EXACT } else { USUAL };
        Case { ways, ..sum(largest, Task::Axis(array)) }
    }));
    let lengths: &[u32] = if small { &[16] } else { &[24, 26, 28] };
    for element in [Element::F16, Element::I32, Element::U32, Element::F64, Element::I64] {
        let ways = if element.is_float() { EXACT } else { USUAL };
        cases.extend(
            lengths.iter().map(|&power| Case { ways, ..Case::new(Op::Sum, element, power, Task::Whole) }),
        );
        if element == Element::F64 {
            cases.push(Case::new(Op::LogSumExp, element, largest, Task::Whole));
        }
    }
    let exact = |data, power| Case { ways: &[Way::EXACT], data, ..sum(power, Task::Whole) };
    cases.extend(
        [Data::TwoScales, Data::Wide]
            .into_iter()
            .flat_map(|data| lengths.iter().map(move |&n| exact(data, n))),
    );
    cases
}

/// The most elements that any of the cases takes which can run on a device.
pub fn longest(cases: &[Case], device: &wgpu::Device) -> u64 {
    cases.iter().filter(|case| case.runnable(device).is_ok()).map(|case| case.n).max().unwrap_or(0)
}
