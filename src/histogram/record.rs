//! Recording a plan: compiled pipelines, prepared bindings, dispatches on the caller's encoder or pass.

use std::sync::OnceLock;

use wgpu::{BindingResource, Buffer, BufferUsages, Device};

use crate::binding::{self, Use, slice};
use crate::dispatch::{self, Dispatch, Recorder};
use crate::histogram::counting::Counting;
use crate::histogram::error::HistogramError;
use crate::histogram::job::Job;
use crate::histogram::keys::{Keys, order};
use crate::histogram::plan::{Params, Pass, Plan, Step};
use crate::pipeline::{self, Checks, Compiled, Options};
use crate::reduce::Extent;
use crate::slice::Slice;

/// Bytes of a key.
pub(super) const KEY: u64 = 4;

/// Bytes of a vector of keys.
const VECTOR: u64 = 16;

/// A histogram for a device, over inputs of any length: the module's page has [an example](crate::histogram).
///
/// It keeps the device, and compiles a pipeline when one is first needed: by [`Counting::into`], or ahead by [`Histogram::compile`].
/// `Send` and `Sync`. It may be dropped when everything is prepared.
#[derive(Debug)]
pub struct Histogram {
    device: Device,
    job: Job,
    limits: wgpu::Limits,
    steps: [(Step, OnceLock<Compiled>); 2],
    cache: Option<wgpu::PipelineCache>,
    checks: Checks,
    /// The first and the last float of each bin, in the order of floats; of no use where keys are numbers.
    borders: Buffer,
    /// Bound where a window is too short to be read as vectors.
    nothing: Buffer,
}

impl Histogram {
    /// A histogram that clears its output first. Cost: a buffer of 128 bytes, and for [`Keys::Ranges`] one of eight bytes a bin. Nothing is
    /// compiled yet, and nothing submitted.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`].
    pub fn new(device: &Device, keys: Keys, bins: u32) -> Result<Self, HistogramError> {
        Self::with_job(device, Job::new(keys, bins, &device.limits()), Options::default())
    }

    /// The same for a job that says whether counts are added (one pipeline fewer), and how it is run; and with options.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`].
    pub fn with_job(device: &Device, job: Job, options: Options<'_>) -> Result<Self, HistogramError> {
        Self::make(device, job, options, Checks::On)
    }

    /// The same without the checks that wgpu adds to shaders: no clamping of indices, no bounds on loops.
    ///
    /// # Safety
    ///
    /// The caller takes halofold's word that the kernels stay inside of their buffers, whatever the keys are, and end: nothing
    /// else makes sure of it then.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`].
    pub unsafe fn unchecked(device: &Device, job: Job, options: Options<'_>) -> Result<Self, HistogramError> {
        Self::make(device, job, options, Checks::Off)
    }

    fn make(device: &Device, job: Job, options: Options<'_>, checks: Checks) -> Result<Self, HistogramError> {
        let limits = device.limits();
        job.check(&limits)?;
        let borders = borders(&job);
        Ok(Histogram {
            device: device.clone(),
            job,
            limits,
            steps: [Step::Clear, Step::Count].map(|step| (step, OnceLock::new())),
            cache: options.cache.cloned(),
            checks,
            borders: binding::filled(
                device,
                "halofold::histogram::borders",
                bytemuck::cast_slice(&borders),
                BufferUsages::STORAGE,
            ),
            nothing: binding::scratch(device, "halofold::histogram::nothing", 128),
        })
    }

    /// Compiles what [`Histogram::of`] may need, as far as it is not compiled yet: two compute pipelines, one if counts are added,
    /// for which it blocks. Nothing is submitted.
    pub fn compile(&self) {
        for step in if self.job.add { &[Step::Count][..] } else { &[Step::Clear, Step::Count] } {
            self.step(*step);
        }
    }

    /// What it counts, and how.
    pub fn job(&self) -> Job {
        self.job
    }

    /// The dispatches over the keys of one range of a buffer.
    ///
    /// # Errors
    ///
    /// Those of [`Job::plan`].
    pub fn plan(&self, input: Extent) -> Result<Plan, HistogramError> {
        self.job.plan(input, &self.limits)
    }

    /// The counts of everything in a buffer or a slice of one: [`Counting`] says what becomes of them. Bytes behind the last whole
    /// key are left out.
    pub fn of<'a>(&'a self, keys: impl Into<Slice<'a>>) -> Counting<'a> {
        Counting::new(self, keys.into())
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(super) fn prepare(&self, input: Slice<'_>, output: Slice<'_>) -> Result<Prepared, HistogramError> {
        let plan = self.plan(Extent { offset: input.offset(), len: input.size() / KEY })?;
        self.check(&plan, input, output)?;
        let params = binding::blocks(plan.passes.iter().map(|pass| pass.params));
        let params =
            binding::filled(&self.device, "halofold::histogram::params", &params, BufferUsages::UNIFORM);
        let recorded = |(index, pass): (usize, &Pass)| {
            let (pipeline, layout) = self.step(pass.step);
            let bound = Bound { histogram: self, input, output, params: &params, index, pass };
            let resources = self.job.slots(pass.step).iter().map(|&slot| (slot, bound.slot(slot)));
            Dispatch {
                pipeline: pipeline.clone(),
                bindings: binding::bind(&self.device, "halofold::histogram::bindings", layout, resources),
                grid: pass.grid,
            }
        };
        let passes = plan.passes.iter().enumerate().map(recorded).collect();
        Ok(Prepared { plan, passes })
    }

    /// A step's pipeline, compiled if this is the first time.
    fn step(&self, step: Step) -> &Compiled {
        let found = self.steps.iter().find(|(known, _)| *known == step);
        let (_, compiled) = found.expect("there are no other steps");
        compiled.get_or_init(|| {
            let kernel = pipeline::Kernel {
                label: &format!("halofold::histogram::{step:?}"),
                wgsl: self.job.compose(step),
                entry_point: "main",
                slots: self.job.slots(step),
                overrides: &self.job.overrides(step),
                cache: self.cache.as_ref(),
                checks: self.checks,
            };
            pipeline::compile(&self.device, kernel)
        })
    }

    fn check(&self, plan: &Plan, input: Slice<'_>, output: Slice<'_>) -> Result<(), HistogramError> {
        let read = Use::of("input", input.buffer(), input.offset(), input.size() / KEY * KEY);
        let written = Use::of("output", output.buffer(), output.offset(), plan.output);
        read.check()?;
        written.check()?;
        written.inside(output)?;
        read.apart(&written)?;
        Ok(written.aligned(&self.limits)?)
    }
}

/// The buffers of one dispatch.
struct Bound<'a> {
    histogram: &'a Histogram,
    input: Slice<'a>,
    output: Slice<'a>,
    params: &'a Buffer,
    /// The number of the dispatch in its plan.
    index: usize,
    pass: &'a Pass,
}

impl<'a> Bound<'a> {
    /// What a slot of group 0 is bound to.
    fn slot(&self, slot: u32) -> BindingResource<'a> {
        match slot {
            1 => slice(self.output.buffer(), self.output.offset(), self.histogram.job.output()),
            2 => binding::block::<Params>(self.params, binding::block_offset(self.index)),
            5 => self.histogram.borders.as_entire_binding(),
            // Too few bytes for one vector are never read as such.
            3 => self.keys(VECTOR),
            _ => self.keys(0),
        }
    }

    /// The window, if it has so many bytes.
    fn keys(&self, least: u64) -> BindingResource<'a> {
        match self.pass.from {
            Some(bytes) if bytes.size >= least => slice(self.input.buffer(), bytes.offset, bytes.size),
            _ => self.histogram.nothing.as_entire_binding(),
        }
    }
}

/// Each bin's first and last float, in the order of floats; one pair of no meaning where keys are numbers.
fn borders(job: &Job) -> Vec<u32> {
    let Some(borders) = job.keys.borders(job.bins) else { return vec![0; 2] };
    let order: Vec<_> = borders.iter().map(|border| order(*border)).collect();
    let mut pairs: Vec<_> = order.windows(2).flat_map(|pair| [pair[0], pair[1] - 1]).collect();
    // The last bin holds its upper border.
    if let Some(last) = pairs.last_mut() {
        *last += 1;
    }
    pairs
}

/// A histogram with its buffers, ready to be recorded again and again: over what the buffers hold by then.
///
/// It keeps alive what it needs. `Send` and `Sync`.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    passes: Vec<Dispatch>,
}

impl Prepared {
    /// The plan that recording carries out.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records into a compute pass of its own, labelled `halofold::histogram`.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_in_pass(&mut dispatch::begin(encoder, "halofold::histogram"));
    }

    /// Records into the caller's pass. Changes its pipeline and bind group 0; halofold itself allocates nothing.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        Recorder::new(pass).record(&self.passes);
    }
}
