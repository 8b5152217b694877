//! The cut of a grid among GPUs, and the measurements that decide it.

use halofold::read;
use halofold::stencil::slab::{Side, Slab};
use halofold::stencil::{Config, Jacobi, Weights};
use halofold::wgpu::{Device, DeviceType};

use crate::depth::{self, Costs};
use crate::error::{FleetError, WorkerError, each, of};
use crate::split::{split, unit_of_layers, whole_units};
use crate::team::TeamOptions;
use crate::worker::{Member, Worker};

/// Number of timed rounds, after two that are not timed. Their number is even, so that time-blocked kernels make whole passes: see
/// [`halofold::stencil::Stepper::encode_in_pass`].
const TIMED: u32 = 8;
/// Number of timed copies of edges: enough to hide the cost of a submission.
const COPIED: u32 = 16;

/// The configuration of a grid with the kernel that all its parts are stepped by, if that is still open: the one that a GPU would take for
/// the whole grid, so that the bits are those of one GPU, or if the grid is too large for a buffer, for as much of it as fits. The kernel's
/// tuning is left to each GPU.
pub fn kernel_of_parts(config: Config, device: &Device) -> Config {
    let fitting = device.limits().max_buffer_size / config.layer_bytes().max(1);
    let layers = u64::from(config.layers()).min(fitting.max(1)) as u32;
    config.with_kernel_of(&config.with_layers(layers).on(device))
}

/// A grid that is to be cut, and the GPUs that get a slab each.
pub(crate) struct Cutter<'a> {
    pub(crate) members: &'a [Member],
    pub(crate) config: Config,
    pub(crate) weights: Weights,
}

/// The slabs of all GPUs, and a stencil for each.
pub(crate) type Cut = (Vec<Slab>, Vec<Jacobi>);

impl Cutter<'_> {
    /// The slabs, and a stencil for each, as options and measurements say.
    pub(crate) fn cut(&self, options: &TeamOptions) -> Result<Cut, FleetError> {
        let count = self.members.len();
        let equal = vec![1.0; count];
        let known = options.shares.as_deref().or_else(|| self.are_alike().then_some(&equal[..]));
        if let (Some(halo), Some(shares)) = (options.halo, known) {
            return self.slabs(shares, halo);
        }
        let shares = known.unwrap_or(&equal);
        // A first cut, in rounds of one pass, measures passes and exchanges.
        let (slabs, stencils) = self.slabs(shares, whole_units(&self.config, 1))?;
        let steps = stencils.iter().map(|stencil| stencil.config().steps_per_pass());
        let steps = steps.max().unwrap_or(1).min(lowest(&slabs) / self.config.stencil.radius());
        let (slabs, stencils) = self.slabs(shares, whole_units(&self.config, steps))?;
        let warm = |nth: usize| Warm::new(&self.members[nth], &stencils[nth], &slabs[nth]);
        // One after the other: all GPUs are served by one host.
        let measured = each(count, warm)?.into_iter().enumerate();
        let measured = measured.map(|(nth, warm)| of(nth, warm.measure(count)));
        let measured: Vec<_> = measured.collect::<Result<_, _>>()?;
        let speeds: Vec<f64> = measured.iter().map(|(speed, _)| *speed).collect();
        let halo = options.halo.unwrap_or_else(|| {
            let halos = measured.iter().map(|(_, halo)| *halo).min();
            let least = self.config.layers() / count as u32 / self.config.stencil.radius();
            whole_units(&self.config, halos.unwrap_or(1).min(least))
        });
        self.slabs(known.unwrap_or(&speeds), halo)
    }

    /// True if all GPUs have one name: then they are equally fast.
    fn are_alike(&self) -> bool {
        let name = |member: &Member| member.device.adapter_info().name;
        self.members.windows(2).all(|pair| name(&pair[0]) == name(&pair[1]))
    }

    /// The slabs for rounds of this many steps.
    fn slabs(&self, shares: &[f64], steps: u32) -> Result<Cut, FleetError> {
        let members = self.members.len();
        if shares.len() != members || members == 0 {
            return Err(FleetError::Shares { shares: shares.len(), members });
        }
        let layers = self.config.layers();
        // A single GPU exchanges nothing; its rounds are not longer than its slab is high.
        let radius = self.config.stencil.radius();
        let steps = if members == 1 { steps.min(layers.div_ceil(radius)) } else { steps };
        let halo = steps.saturating_mul(radius);
        let cut = if members == 1 && !self.config.is_ring() { 1 } else { halo };
        let parts = split(layers, shares, cut, unit_of_layers(&self.config));
        let parts = parts.ok_or(FleetError::Layers { layers, members, halo })?;
        let slabs: Vec<_> =
            parts.into_iter().map(|own| Slab::new(self.config, own, steps)).collect::<Result<_, _>>()?;
        let stencil =
            |nth: usize| Ok(Jacobi::new(&self.members[nth].device, slabs[nth].config(), self.weights)?);
        let stencils = each(members, stencil)?;
        Ok((slabs, stencils))
    }
}

/// Measures a GPU with its slab, whose halo is of one pass: the layers that a pass makes per second, and the steps of the rounds that make a
/// step cheapest. The process serves `served` GPUs, one after the other.
///
/// # Errors
///
/// The device lacks a limit or a feature, or is lost.
pub fn measure_slab(
    member: &Member,
    jacobi: &Jacobi,
    slab: &Slab,
    served: usize,
) -> Result<(f64, u32), WorkerError> {
    Warm::new(member, jacobi, slab)?.measure(served)
}

/// A GPU with its slab, at the clock that it has at work: one that has idled is several times slower at first.
struct Warm<'a> {
    member: &'a Member,
    jacobi: &'a Jacobi,
    slab: &'a Slab,
    worker: Worker,
}

impl<'a> Warm<'a> {
    fn new(member: &'a Member, jacobi: &'a Jacobi, slab: &'a Slab) -> Result<Self, WorkerError> {
        let worker = Worker::new(member, jacobi, slab, &[], &[])?;
        if member.device.adapter_info().device_type != DeviceType::Cpu {
            worker.warm(jacobi, TIMED * slab.depth())?;
        }
        Ok(Warm { member, jacobi, slab, worker })
    }

    fn measure(self, served: usize) -> Result<(f64, u32), WorkerError> {
        let Warm { member, jacobi, slab, mut worker } = self;
        let steps = slab.depth();
        worker.rounds_seconds(steps, 2)?;
        let [round, copies, host] = worker.rounds_seconds(steps, TIMED)?;
        worker.passes_seconds(jacobi, steps)?;
        let pass = worker.passes_seconds(jacobi, TIMED * steps)? / f64::from(TIMED);
        let bus = worker.edges_seconds(COPIED)?;
        // The host's time beyond a pass is counted by the number of passes, not here.
        let shown = (copies + host - pass).max(0.0);
        drop(worker);
        // Its buffers go when the device is polled: there may be no room for two grids.
        read::poll(&member.device)?;
        let exchange = (round - pass - bus - shown).max(0.0);
        let costs = Costs { pass, exchange, copies, host: host * served as f64 };
        let layers = slab.own().len() as u32;
        log::debug!("halofold fleet: {costs:?} for a slab of {layers} layers");
        let faces = Side::BOTH.into_iter().filter(|side| slab.edge(*side).is_some()).count() as u32;
        Ok((f64::from(layers) / pass, steps * depth::passes(costs, slab.face_layers(), layers, faces)))
    }
}

/// The layers of the lowest slab.
fn lowest(slabs: &[Slab]) -> u32 {
    slabs.iter().map(|slab| slab.own().len() as u32).min().unwrap_or(1)
}
