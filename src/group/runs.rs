//! Runs of equal neighbouring keys, each reduced to a result, or to its length.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::io::{OneInput, Output, ResultOf};
use crate::gpu::kernel::Kernel;
use crate::gpu::limits::LimitError;
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::range::Inputs;
use crate::group::io::{self, Run};
use crate::group::run_kernels::{RUNS, Runs};
use crate::reduce::results::OutputLayout;
use crate::reduce::{BufferRange, FromResults, Monoid};
use crate::scan::Progress;

/// A description of results for runs of equal neighbouring keys: of the values that belong to the keys. It is a plain
/// value; [`Compiled`](crate::Compiled) brings it to a device. The module's page has [an example](crate::group).
///
/// Its inputs are [`Pairs`](crate::group::Pairs); its [`RunOutputs`](crate::group::RunOutputs) are in the order of the runs.
/// On the host each run is a [`Run`]. An index in a result, as that of [`Op::ArgMax`](crate::reduce::Op::ArgMax), counts from the start of the input,
/// where those of segments and rows of a [`Reduce`](crate::reduce::Reduce) and of a [`Scan`](crate::scan::Scan) count from the start of theirs.
///
/// It takes one dispatch, reads keys and values once, and writes a key and a result for each run. It binds eight storage buffers, or seven if four values are no
/// vector. What lies behind the runs is left as it was. Their number stays on the GPU, where
/// [`Reduction::count_buffer`](crate::reduce::Reduction::count_buffer) takes it.
///
/// Keys are `u32`, `i32`, `f32`, `u64` or `i64`; those of 64 bits need no feature. They are equal if their bits are; of floats −0 equals 0, and all NaNs
/// are equal, as for `unique` in NumPy. Keys need not be sorted.
#[derive(Clone, Debug)]
pub struct ReduceRuns(Runs);

/// A description of the lengths of runs of equal neighbouring keys. It is a plain value; [`Compiled`](crate::Compiled) brings it to a device.
/// [`Select::unique`](crate::select::Select::unique) has the keys alone. It takes one dispatch and six storage buffers in a shader. A binding must hold
/// the input.
///
/// Its [`RunOutputs`](crate::group::RunOutputs) are in the order of the runs. On the host each run is a [`Run`]. Keys are those of [`ReduceRuns`].
#[derive(Clone, Debug)]
pub struct RunLengths(Runs);

impl ReduceRuns {
    /// Describes the results of an operator over the values of each run of keys. The operator has one input, reads buffers and declares no
    /// parameters. Its exact sums are those of f32 and f16.
    pub fn new(key: Element, monoid: Monoid) -> Self {
        ReduceRuns(Runs::new(key, Some(monoid.accumulated())))
    }

    /// Returns this description with workgroups that get on in another way.
    #[doc(hidden)]
    pub fn with_progress(self, progress: Progress) -> Self {
        ReduceRuns(Runs { progress, ..self.0 })
    }
}

impl RunLengths {
    /// Describes the lengths of runs of keys.
    pub const fn new(key: Element) -> Self {
        RunLengths(Runs::new(key, None))
    }
}

/// Both have the same base.
macro_rules! base {
    ($type:ty, $label:literal, $inputs:expr) => {
        impl Base for $type {
            const LABEL: &'static str = $label;
            const INPUTS: [&'static str; 2] = $inputs;

            fn check_settings(&self) -> Result<(), Error> {
                self.0.check_settings()
            }

            fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error> {
                self.0.check_on(features, limits)
            }

            fn steps(&self) -> Vec<Step> {
                vec![RUNS]
            }

            fn kernel(&self, _: Step, features: Features, limits: &Limits) -> Kernel {
                self.0.kernel(features, limits)
            }

            fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
                self.0.memory(input, limits)
            }

            fn element(&self) -> Option<Element> {
                Some(self.0.key)
            }

            fn item(&self) -> u64 {
                self.0.key.size()
            }

            fn second_item(&self) -> Option<u64> {
                self.0.monoid.as_ref().map(Monoid::stride)
            }

            /// Room for a run of each key, and for one at least, as no binding is shorter.
            fn outputs(&self, len: u64) -> Vec<Output> {
                let [keys, results] =
                    [self.0.key.size(), self.0.result_size()].map(|size| len.max(1).saturating_mul(size));
                let results = results.checked_next_multiple_of(4).unwrap_or(u64::MAX);
                vec![
                    Output::new("keys", keys),
                    Output::new("results", results),
                    Output::placed("len", 4, "count_at"),
                ]
            }

            fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
                for Output { size, .. } in self.outputs(inputs.first.len) {
                    let error = |error: LimitError| error.of("an output").or("give fewer keys at a time");
                    LimitError::unless_bound(limits, size).map_err(error)?;
                }
                self.0.passes(inputs, limits)
            }
        }

        impl OneInput for $type {}
    };
}

base!(ReduceRuns, "halofold::reduce_runs", ["keys", "values"]);
base!(RunLengths, "halofold::run_lengths", ["the input", ""]);

impl<K: FromResults, R: FromResults> ResultOf<ReduceRuns> for Run<K, R> {
    fn results(operation: &ReduceRuns, _: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        let layout = operation.0.monoid.as_ref().expect("runs with values have an operator").layout();
        io::runs(operation.0.key, &layout, outputs)
    }
}

impl<K: FromResults> ResultOf<RunLengths> for Run<K, u32> {
    fn results(operation: &RunLengths, _: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        io::runs(operation.0.key, &OutputLayout::of("lengths", Element::U32), outputs)
    }
}
