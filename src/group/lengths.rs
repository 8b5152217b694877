//! Lengths of runs of equal neighbouring keys.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::io::{OneInput, Output, ResultOf};
use crate::gpu::kernel::{Driver, Kernel};
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::range::Inputs;
use crate::group::io::{self, Run};
use crate::reduce::results::OutputLayout;
use crate::reduce::{BufferRange, FromResults};
use crate::scan::Progress;
use crate::select::Select;

/// A description of the lengths of runs of equal neighbouring keys. It is a plain value; [`Compiled`](crate::Compiled) brings it to a device.
/// It is [`Select::unique`] with a second output, in one dispatch with five storage buffers. A binding must hold the input.
///
/// Its [`RunOutputs`](crate::group::RunOutputs) are in the order of the runs. On the host each run is a [`Run`]. Keys are those of
/// [`ReduceRuns`](crate::group::ReduceRuns).
#[derive(Clone, Debug)]
pub struct RunLengths(Select);

impl RunLengths {
    /// Describes the lengths of runs of keys.
    pub const fn new(key: Element) -> Self {
        RunLengths(Select::runs(key))
    }

    /// Returns this description with workgroups that get on in another way.
    #[doc(hidden)]
    pub fn with_progress(self, progress: Progress) -> Self {
        RunLengths(self.0.with_progress(progress))
    }
}

impl Base for RunLengths {
    const LABEL: &'static str = "halofold::run_lengths";

    fn on_driver(self, driver: Driver) -> Self {
        RunLengths(self.0.on_driver(driver))
    }

    fn check_settings(&self) -> Result<(), Error> {
        self.0.check_settings()
    }

    fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        self.0.check_on(features, limits)
    }

    fn steps(&self) -> Vec<Step> {
        self.0.steps()
    }

    fn kernel(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        self.0.kernel(step, features, limits)
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        self.0.memory(input, limits)
    }

    fn element(&self) -> Option<Element> {
        self.0.element()
    }

    fn item(&self) -> u64 {
        self.0.item()
    }

    fn outputs(&self, len: u64) -> Vec<Output> {
        // Room for one at least, as no binding is shorter.
        let [keys, lengths] = [self.item(), 4].map(|size| len.max(1).saturating_mul(size));
        vec![Output::new("keys", keys), Output::new("results", lengths), Output::placed("len", 4, "count_at")]
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        self.0.plan_over(inputs, limits)
    }
}

impl OneInput for RunLengths {}

impl<K: FromResults> ResultOf<RunLengths> for Run<K, u32> {
    fn results(operation: &RunLengths, _: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        let lengths = OutputLayout::of("lengths", Element::U32);
        io::runs(operation.element().unwrap_or(Element::U32), &lengths, outputs)
    }
}
