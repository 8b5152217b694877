//! Recording a plan: compiled pipelines, bind groups, and dispatches on the caller's encoder or pass.

use wgpu::{BindingResource, Buffer, BufferUsages, Device};

use crate::histogram::config::Config;
use crate::histogram::counting::Counting;
use crate::histogram::error::HistogramError;
use crate::histogram::keys::{Keys, order};
use crate::histogram::plan::{Params, Pass, Plan, Step};
use crate::operation::blocks::{self, Blocks};
use crate::operation::buffers::{self, Use, slice};
use crate::operation::kernel::{Checks, Compiled, Kernel, PARAMETERS, Pipelines};
use crate::operation::{Options, Prepared, scratch};
use crate::reduce::BufferRange;
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
    config: Config,
    pipelines: Pipelines<Step>,
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
        config.check(&device.limits())?;
        let borders = borders(&config);
        Ok(Histogram {
            config,
            pipelines: Pipelines::new(device, options.cache, checks),
            borders: buffers::filled(
                device,
                "halofold::histogram::borders",
                bytemuck::cast_slice(&borders),
                BufferUsages::STORAGE,
            ),
            nothing: scratch::buffer(device, "halofold::histogram::nothing", 0),
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
    pub fn plan(&self, input: BufferRange) -> Result<Plan, HistogramError> {
        self.config.plan(input, &self.pipelines.limits)
    }

    /// Describes a histogram of all keys of a buffer or of a slice of one. The methods of [`Counting`] run
    /// it. Bytes after the last whole key are ignored.
    pub fn of<'b>(&self, keys: impl Into<Slice<'b>>) -> Counting<'_, 'b> {
        Counting::new(self, keys.into())
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.pipelines.device
    }

    pub(super) fn prepare(
        &self,
        plan: Plan,
        input: Slice<'_>,
        output: Slice<'_>,
    ) -> Result<Prepared<Plan>, HistogramError> {
        let reads = [Use::of("input", input, input.size())];
        let writes = [Use::of("output", output, plan.output)];
        buffers::check(&reads, &writes, &self.pipelines.limits)?;
        let blocks: Blocks = plan.passes.iter().map(|pass| pass.params).collect();
        let params = blocks.buffer(self.device(), "halofold::histogram::params", BufferUsages::UNIFORM);
        let recorded = |(index, pass): (usize, &Pass)| {
            let bound = Bound { histogram: self, input, output, params: &params, index, pass };
            let (device, label) = (self.device(), "halofold::histogram::bindings");
            self.step(pass.step).dispatch(device, label, pass.grid, |slot| bound.slot(slot))
        };
        let passes = plan.passes.iter().enumerate().map(recorded).collect();
        Ok(Prepared::new(plan, passes, "halofold::histogram"))
    }

    /// Returns a step's pipeline, which it compiles on first use.
    fn step(&self, step: Step) -> Compiled {
        self.pipelines.get(step, || Kernel {
            label: self.config.label(step),
            wgsl: self.config.compose(step),
            entry_point: "main",
            slots: self.config.slots(step).into(),
            overrides: self.config.overrides(step),
            checks: self.pipelines.checks,
        })
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
            PARAMETERS => blocks::bound::<Params>(self.params, blocks::offset(self.index)),
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
