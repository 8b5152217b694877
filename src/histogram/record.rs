//! Recording a plan: compiled pipelines, bind groups, and dispatches on the caller's encoder or pass.

use wgpu::{BindingResource, Buffer, BufferUsages, Device};

use crate::binding::{self, Use, slice};
use crate::dispatch::{self, Dispatch, Recorder};
use crate::histogram::config::Config;
use crate::histogram::counting::Counting;
use crate::histogram::error::HistogramError;
use crate::histogram::keys::{Keys, order};
use crate::histogram::plan::{Params, Pass, Plan, Step};
use crate::pipeline::{self, Checks, Compilations, Compiled, Options};
use crate::reduce::Extent;
use crate::slice::Slice;

/// Bytes of a key.
pub(super) const KEY: u64 = 4;

/// Bytes of a vector of keys.
const VECTOR: u64 = 16;

/// A histogram for a device, over inputs of any length. The module's page has [an example](crate::histogram).
///
/// It keeps the device alive. It compiles each pipeline when [`Counting::into`] first needs it, or ahead of
/// time in [`Histogram::compile`]. It is `Send` and `Sync`. You may drop it once everything is prepared.
#[derive(Debug)]
pub struct Histogram {
    device: Device,
    config: Config,
    limits: wgpu::Limits,
    kernels: Compilations<Step>,
    cache: Option<wgpu::PipelineCache>,
    checks: Checks,
    /// The first and the last float of each bin, as ordered integers; unused for [`Keys::Numbers`].
    borders: Buffer,
    /// Bound if a window is too short to be read as vectors.
    nothing: Buffer,
}

impl Histogram {
    /// Makes a histogram that clears its output first. This allocates a buffer of 128 bytes, and for
    /// [`Keys::Ranges`] one of eight bytes per bin. Nothing is compiled or submitted yet.
    ///
    /// # Errors
    ///
    /// See [`Config::check`].
    pub fn new(device: &Device, keys: Keys, bins: u32) -> Result<Self, HistogramError> {
        Self::with_config(device, Config::new(keys, bins, &device.limits()), Options::default())
    }

    /// Makes a histogram from a config, with options. The config sets the tuning, and whether counts are added to
    /// those in the output, which takes one pipeline fewer.
    ///
    /// # Errors
    ///
    /// See [`Config::check`].
    pub fn with_config(
        device: &Device,
        config: Config,
        options: Options<'_>,
    ) -> Result<Self, HistogramError> {
        Self::make(device, config, options, Checks::On)
    }

    /// Makes a histogram whose shaders lack the checks that wgpu adds: no clamping of indices, no bounds on
    /// loops.
    ///
    /// # Safety
    ///
    /// The caller relies on halofold's kernels to stay inside their buffers and to terminate, whatever the
    /// keys are. Nothing else checks this.
    ///
    /// # Errors
    ///
    /// See [`Config::check`].
    pub unsafe fn unchecked(
        device: &Device,
        config: Config,
        options: Options<'_>,
    ) -> Result<Self, HistogramError> {
        Self::make(device, config, options, Checks::Off)
    }

    fn make(
        device: &Device,
        config: Config,
        options: Options<'_>,
        checks: Checks,
    ) -> Result<Self, HistogramError> {
        let limits = device.limits();
        config.check(&limits)?;
        let borders = borders(&config);
        Ok(Histogram {
            device: device.clone(),
            config,
            limits,
            kernels: Compilations::default(),
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

    /// Compiles the pipelines that are not compiled yet: two, or one if counts are added to those in the
    /// output. It blocks; nothing is submitted.
    pub fn compile(&self) {
        for step in if self.config.add { &[Step::Count][..] } else { &[Step::Clear, Step::Count] } {
            self.step(*step);
        }
    }

    /// The config that it was made from.
    pub fn config(&self) -> Config {
        self.config
    }

    /// Plans the dispatches over the keys of one range of a buffer.
    ///
    /// # Errors
    ///
    /// See [`Config::plan`].
    pub fn plan(&self, input: Extent) -> Result<Plan, HistogramError> {
        self.config.plan(input, &self.limits)
    }

    /// Describes a histogram of all keys of a buffer or of a slice of one. The methods of [`Counting`] run
    /// it. Bytes after the last whole key are ignored.
    pub fn of<'b>(&self, keys: impl Into<Slice<'b>>) -> Counting<'_, 'b> {
        Counting::new(self, keys.into())
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(super) fn prepare(
        &self,
        plan: Plan,
        input: Slice<'_>,
        output: Slice<'_>,
    ) -> Result<Prepared, HistogramError> {
        self.check(&plan, input, output)?;
        let params = binding::blocks(plan.passes.iter().map(|pass| pass.params));
        let params =
            binding::filled(&self.device, "halofold::histogram::params", &params, BufferUsages::UNIFORM);
        let recorded = |(index, pass): (usize, &Pass)| {
            let (pipeline, layout) = self.step(pass.step);
            let bound = Bound { histogram: self, input, output, params: &params, index, pass };
            let resources = self.config.slots(pass.step).iter().map(|&slot| (slot, bound.slot(slot)));
            let bindings = binding::bind(&self.device, "halofold::histogram::bindings", &layout, resources);
            Dispatch { pipeline, bindings, grid: pass.grid }
        };
        let passes = plan.passes.iter().enumerate().map(recorded).collect();
        Ok(Prepared { plan, passes })
    }

    /// Returns a step's pipeline, which it compiles on first use.
    fn step(&self, step: Step) -> Compiled {
        self.kernels.get(step, || {
            let kernel = pipeline::Kernel {
                label: &self.config.label(step),
                wgsl: self.config.compose(step),
                entry_point: "main",
                slots: self.config.slots(step),
                overrides: &self.config.overrides(step),
                cache: self.cache.as_ref(),
                checks: self.checks,
            };
            pipeline::compile(&self.device, kernel)
        })
    }

    fn check(&self, plan: &Plan, input: Slice<'_>, output: Slice<'_>) -> Result<(), HistogramError> {
        let read = Use::of("input", input, input.size());
        let written = Use::of("output", output, plan.output);
        read.check()?;
        written.inside()?;
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
    /// The index of the dispatch in its plan.
    index: usize,
    pass: &'a Pass,
}

impl<'a> Bound<'a> {
    /// The resource for a binding of group 0.
    fn slot(&self, slot: u32) -> BindingResource<'a> {
        match slot {
            1 => slice(self.output.buffer(), self.output.offset(), self.histogram.config.output()),
            2 => binding::block::<Params>(self.params, binding::block_offset(self.index)),
            5 => self.histogram.borders.as_entire_binding(),
            // A window that is shorter than a vector is never read as vectors.
            3 => self.keys(VECTOR),
            _ => self.keys(0),
        }
    }

    /// The window, if it has at least `least` bytes.
    fn keys(&self, least: u64) -> BindingResource<'a> {
        match self.pass.from {
            Some(bytes) if bytes.size >= least => slice(self.input.buffer(), bytes.offset, bytes.size),
            _ => self.histogram.nothing.as_entire_binding(),
        }
    }
}

/// The first and the last float of each bin, as ordered integers; one unused pair for [`Keys::Numbers`].
fn borders(config: &Config) -> Vec<u32> {
    let Some(borders) = config.keys.borders(config.bins) else { return vec![0; 2] };
    let order: Vec<_> = borders.iter().map(|border| order(*border)).collect();
    let mut pairs: Vec<_> = order.windows(2).flat_map(|pair| [pair[0], pair[1] - 1]).collect();
    // The last bin includes its upper border.
    if let Some(last) = pairs.last_mut() {
        *last += 1;
    }
    pairs
}

/// A histogram with its buffers, ready to be recorded any number of times. It reads the contents that the
/// buffers have when it runs.
///
/// It keeps its pipelines and buffers alive. It is `Send` and `Sync`.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    passes: Vec<Dispatch>,
}

impl Prepared {
    /// The plan that is recorded.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records into a new compute pass with the label `halofold::histogram`.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_in_pass(&mut dispatch::begin(encoder, "halofold::histogram"));
    }

    /// Records into the caller's pass. This changes the pass's pipeline and bind group 0. halofold itself
    /// allocates nothing.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        Recorder::new(pass).record(&self.passes);
    }
}
