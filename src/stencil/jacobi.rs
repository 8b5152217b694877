//! Records Jacobi steps: a compiled kernel and two buffers that swap after each step, into the caller's encoder or pass.

use std::sync::{Arc, OnceLock};

use wgpu::{Buffer, BufferUsages, Device};

use crate::gpu::data::{Data, Host, Planned};
use crate::gpu::error::Error;
use crate::gpu::io::Output;
use crate::gpu::launch::{self, Dispatch, Recorder};
use crate::gpu::limits::needs;
use crate::gpu::operation::{Memory, OnDevice, Plan};
use crate::gpu::{Compiled, Options, buffers};
use crate::stencil::config::Config;
use crate::stencil::grids::Grids;
use crate::stencil::kernels::Kernels;
use crate::stencil::passes::{self, Binder};
use crate::stencil::stencils::Weights;

/// Jacobi steps of a grid with given weights, to be compiled by [`Compiled`]. The module's page has [an example](crate::stencil).
///
/// Clones of the compiled steps share pipelines. A pipeline compiles when [`Compiled::bind`] or [`Compiled::bind_until`] first needs
/// it, or ahead of time in [`Compiled::compile`].
#[derive(Clone, Copy, Debug)]
pub struct Jacobi {
    config: Config,
    weights: Weights,
}

impl Jacobi {
    /// Describes the steps of a configuration with these weights.
    pub const fn new(config: Config, weights: Weights) -> Self {
        Jacobi { config, weights }
    }

    /// The dispatch of one step as data, with its kernel, for a host that runs it without this library. It reads the input `cells` and writes the
    /// output `next`, which holds the fixed cells from the start. A configuration with a right-hand side has the input `rhs`.
    ///
    /// # Errors
    ///
    /// Those of [`Config::plan`]; a time-blocked kernel; a grid that is larger than a binding.
    pub fn data(&self, host: &Host) -> Result<Data, Error> {
        let config = self.config.weighed(self.weights);
        let mut plan = config.plan(host.features, &host.limits)?;
        if config.variant.is_blocked() || plan.passes.len() != 1 {
            let message =
                "as data a step is one dispatch: take another variant, or a grid that a binding holds";
            return Err(Error::setting("variant", message));
        }
        let mut coefficients = coefficients(&config, self.weights);
        coefficients.resize(coefficients.len().next_multiple_of(4), 0);
        plan.memory.push(Memory::list(3, bytemuck::pod_collect_to_vec(&coefficients)));
        plan.outputs = vec![Output::new("next", config.bytes().next_multiple_of(4))];
        let inputs = ["cells", "rhs"][..1 + usize::from(config.rhs)].to_vec();
        let label = "halofold::stencil".to_owned();
        let planned = Planned { label, plan, inputs, vector: 0, declared: None, most: 0 };
        planned.data(host, &|_| Ok(config.kernel()))
    }
}

/// The part of compiled steps that does not depend on the grids: two small buffers and the kernels.
#[derive(Clone, Debug)]
pub struct Kept {
    pub(super) kernels: Arc<Kernels>,
    params: Buffer,
    pub(super) weights: Buffer,
}

impl OnDevice for Jacobi {
    type Own = Kept;

    fn on(self, device: &Device, options: &Options<'_>) -> Result<(Self, Kept), Error> {
        let Jacobi { config, weights } = self;
        let config = config.on(device).weighed(weights);
        config.check(device.features(), &device.limits())?;
        let kernels = Arc::new(Kernels::new(device, config, *options)?);
        let blocks = passes::parameters(kernels.passes());
        needs!(device.limits(), max_buffer_size, blocks.size())?;
        let kept = Kept {
            params: blocks.buffer(device, "halofold::stencil::params", BufferUsages::UNIFORM),
            weights: filled(device, &config, weights),
            kernels,
        };
        Ok((Jacobi { config, weights }, kept))
    }
}

impl Compiled<Jacobi> {
    /// Returns the configuration.
    pub fn config(&self) -> &Config {
        &self.operation().config
    }

    /// Compiles the pipelines of [`Compiled::bind`] that are not compiled yet: one, or three for a grid that
    /// is larger than a binding and periodic in its outermost direction. It blocks; nothing is submitted.
    pub fn compile(&self) {
        let kernels = &self.own.kernels;
        let fullest = kernels.plans.last().expect("a single step is a sweep");
        for pass in &fullest.passes {
            kernels.get(pass.step, kernels.cuts.full());
        }
    }

    /// Returns this stencil with other weights. It shares the compiled kernel unless [`Config::one_weight`] changes, which needs another kernel.
    ///
    /// # Errors
    ///
    /// Only those of [`Compiled::new`].
    pub fn reweighted(&self, weights: Weights) -> Result<Self, Error> {
        let (device, config) = (self.device(), *self.config());
        let jacobi = Jacobi { config, weights };
        if config.weighed(weights).one_weight != config.one_weight {
            return Compiled::new(device, jacobi, &self.own.kernels.options());
        }
        Ok(self.with(jacobi, Kept { weights: filled(device, &config, weights), ..self.own.clone() }))
    }

    /// Binds two buffers, once. Each step reads one and writes the other. The first step reads `first`.
    ///
    /// Fixed cells are never written, so both buffers must hold them from the start: copy `first` to `second` once. This call allocates bind groups. If
    /// the grid wraps and is cut into windows, it also allocates two or three buffers of four layers each. The first call [compiles](Compiled::compile).
    ///
    /// # Errors
    ///
    /// - A buffer is too short or lacks [`BufferUsages::STORAGE`].
    /// - Two of the grids are one buffer.
    /// - A right-hand side is missing, or given although the configuration has none.
    pub fn bind(&self, grids: Grids<'_>) -> Result<Stepper, Error> {
        self.stepper(grids, &self.own.params)
    }

    /// Binds the sweep with the most steps. Other sweeps are bound when a run first needs them.
    pub(super) fn stepper(&self, grids: Grids<'_>, params: &Buffer) -> Result<Stepper, Error> {
        grids.check(self.config().bytes(), self.config().rhs, &self.device().limits())?;
        let kernels = &self.own.kernels;
        let bind = Binder::new(kernels, &self.own.weights, grids);
        let bound = kernels.plans.iter().map(|_| OnceLock::new()).collect();
        let stepper = Stepper { bind, params: params.clone(), bound };
        stepper.bound(kernels.cuts.full());
        Ok(stepper)
    }
}

/// A stencil bound to its buffers, to be recorded any number of times.
#[derive(Debug)]
pub struct Stepper {
    bind: Binder,
    params: Buffer,
    /// Per sweep: the dispatches that read the first buffer, and those that read the second.
    bound: Vec<OnceLock<[Vec<Dispatch>; 2]>>,
}

impl Stepper {
    /// Records `steps` steps into the caller's pass. The first step reads the first buffer. The result is in the first buffer after an even number of
    /// steps, in the second after an odd number. halofold allocates nothing, except that a time-blocked kernel is compiled and bound when a sweep
    /// first takes a new number of steps.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        self.record(&mut Recorder::new(pass), 0, steps);
    }

    /// Records `steps` steps into a new pass: see [`Stepper::encode_in_pass`].
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, steps: u32) {
        self.encode_in_pass(&mut launch::begin(encoder, "halofold::stencil"), steps);
    }

    /// Records `count` steps after `done` others. An even total leaves the grid in the first buffer.
    pub(super) fn record(&self, recorder: &mut Recorder<'_, '_>, done: u32, count: u32) {
        for (nth, steps) in self.bind.kernels.cuts.in_place(count).enumerate() {
            recorder.record(&self.bound(steps)[(done as usize + nth) % 2]);
        }
    }

    /// Returns the dispatches of a sweep of this many steps.
    fn bound(&self, steps: u32) -> &[Vec<Dispatch>; 2] {
        let Kernels { cuts, plans, .. } = &*self.bind.kernels;
        let index = cuts.possible().binary_search(&steps).expect("runs are cut into possible sweeps");
        self.bound[index].get_or_init(|| {
            let first = plans[..index].iter().map(|plan| plan.passes.len()).sum();
            let Plan { passes, memory, .. } = &plans[index];
            self.bind.bind(steps, passes, memory, (&self.params, first))
        })
    }
}

/// Allocates a buffer with the coefficients of kernels.
fn filled(device: &Device, config: &Config, weights: Weights) -> Buffer {
    let bytes = coefficients(config, weights);
    buffers::filled(device, "halofold::stencil::weights", &bytes, BufferUsages::STORAGE)
}

/// The coefficients of kernels: see `shaders/stencil/shared/params.wgsl`.
fn coefficients(config: &Config, weights: Weights) -> Vec<u8> {
    let weights = weights.of_kernel(config.stencil);
    config.element.encode(&[weights, weights, &[1.0], &config.constants()].concat())
}
