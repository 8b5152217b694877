//! The cut of a grid among GPUs, and the measurements that decide it.

use halofold::read;
use halofold::stencil::slab::Slab;
use halofold::stencil::{Config, Jacobi, StencilError, Weights};
use halofold::wgpu::Device;

use crate::choice::{self, Alone};
use crate::depth;
use crate::error::{FleetError, WorkerError, each, of};
use crate::measured::{Measured, Warm};
use crate::split::{split, unit_of_layers, whole_units};
use crate::stepping::Stepping;
use crate::team::TeamOptions;
use crate::worker::{Member, Worker};

/// Number of timed passes over the whole grid, at first; the seconds that the next ones are to take together, and the most of them.
const ALONE: u32 = 2;
const LONG: f64 = 5e-3;
const MOST_TIMED: f64 = 64.0;

/// The configuration of a grid with the kernel that all its parts are stepped by, if that is still open: the one that a GPU would take for
/// the whole grid, so that the bits are those of one GPU, or if the grid is too large for a buffer, for as much of it as fits. The kernel's
/// tuning is left to each GPU.
pub fn kernel_of_parts(config: Config, device: &Device) -> Config {
    let fitting = device.limits().max_buffer_size / config.layer_bytes().max(1);
    let layers = u64::from(config.layers()).min(fitting.max(1)) as u32;
    config.with_kernel_of(&config.with_layers(layers).on(device))
}

/// Returns true if a run of so many steps is left to the first of `count` GPUs: it is over before several are measured. It may take a pass over the grid
/// to tell. False if that GPU has no room for the grid. The others need not be open yet.
pub fn is_short(first: &Member, count: usize, (config, weights): (Config, Weights), steps: u32) -> bool {
    let config = kernel_of_parts(config, &first.device);
    let cutter = Cutter { members: vec![first.clone()], config, weights };
    cutter.for_short(count, Some(steps)).is_ok_and(|cut| cut.is_some())
}

/// A grid that is to be cut, and the GPUs that may get a slab each.
#[derive(Clone, Debug)]
pub(crate) struct Cutter {
    pub(crate) members: Vec<Member>,
    pub(crate) config: Config,
    pub(crate) weights: Weights,
}

/// The cut of a grid.
pub(crate) struct Cut {
    /// The GPUs, and for each a slab and a stencil.
    pub(crate) used: Vec<usize>,
    pub(crate) slabs: Vec<Slab>,
    pub(crate) stencils: Vec<Jacobi>,
    /// The rounds.
    pub(crate) stepping: Stepping,
    /// Steps on one of them, if they are several and that has been measured.
    pub(crate) alone: Option<Alone>,
}

impl Cutter {
    /// The cut by options and measurements.
    pub(crate) fn cut(&self, options: &TeamOptions) -> Result<Cut, FleetError> {
        let count = self.members.len();
        let given = options.shares.as_ref().map_or(count, Vec::len);
        if given != count || count == 0 {
            return Err(FleetError::Shares { shares: given, members: count });
        }
        let equal = vec![1.0; count];
        let known = options.shares.as_deref().or_else(|| self.are_alike().then_some(&equal[..]));
        if let (Some(halo), Some(shares)) = (options.halo, known) {
            return self.given(shares, halo);
        }
        if options.halo.is_none()
            && let Some(cut) = self.for_short(count, options.steps.filter(|_| !options.is_long))?
        {
            return Ok(cut);
        }
        // A first cut, in rounds of one pass, measures passes and exchanges.
        let shares = known.unwrap_or(&equal);
        let measured = match self.measure(shares) {
            // Too few layers for all, or no whole words of `f16`.
            Err(FleetError::Layers { .. } | FleetError::Stencil(StencilError::SlabWords { .. }))
                if options.halo.is_none() =>
            {
                return self.whole(0);
            }
            measured => measured?,
        };
        let speeds: Vec<f64> = measured.iter().map(|measured| measured.layers_per_second).collect();
        let shares = known.unwrap_or(&speeds);
        if let Some(halo) = options.halo {
            return self.given(shares, halo);
        }
        let alone = self.measure_alone(&speeds);
        let (count, rounds) = if options.shares.is_none() && self.are_alike() {
            choice::count(count, |count| self.rounds_alike(&measured, count, alone))
        } else {
            (count, self.rounds_cut(&measured, shares))
        };
        log::debug!("halofold fleet: {rounds:?} steps and seconds predicted on {count}, {alone:?}");
        match alone {
            Some(alone) if alone.is_clearly_faster(rounds.1) => self.whole(alone.member),
            _ => self.first(count).corrected(&shares[..count], Some(rounds.0), alone),
        }
    }

    /// The first GPUs.
    pub(crate) fn first(&self, count: usize) -> Cutter {
        Cutter { members: self.members[..count].to_vec(), ..self.clone() }
    }

    /// The steps of a round, and the seconds of a step, of so many equal GPUs. They are equally fast: one that took longer was cold.
    fn rounds_alike(&self, measured: &[Measured], count: usize, alone: Option<Alone>) -> (u32, f64) {
        let faces = if self.config.is_ring() || count > 2 { 2 } else { 1 };
        let layers = self.config.layers() / count as u32;
        let alike = measured.iter().filter(|measured| measured.faces == faces);
        let rounds = alike.map(|measured| {
            let timed = (measured.layers, measured.pass_seconds(measured.layers));
            let whole = alone.map(|alone| (self.config.layers(), alone.seconds * f64::from(measured.unit.0)));
            measured.rounds_among(count, layers, choice::pass_seconds(layers, timed, whole))
        });
        rounds.min_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap_or((1, f64::INFINITY))
    }

    /// The same of all GPUs, cut with these shares: the fewest steps of any, and the most seconds.
    fn rounds_cut(&self, measured: &[Measured], shares: &[f64]) -> (u32, f64) {
        let all: f64 = shares.iter().sum();
        let layers = |share: &f64| (share / all * f64::from(self.config.layers())).max(1.0) as u32;
        let rounds = measured.iter().zip(shares).map(|(measured, share)| {
            let layers = layers(share);
            measured.rounds_among(shares.len(), layers, measured.pass_seconds(layers))
        });
        rounds.reduce(|(a, b), (steps, seconds)| (steps.min(a), seconds.max(b))).unwrap_or((1, f64::INFINITY))
    }

    /// The first GPU, if there is no other one of `count`, or it is done with a run of so many steps before several are measured.
    fn for_short(&self, count: usize, steps: Option<u32>) -> Result<Option<Cut>, FleetError> {
        let (cells, bytes) = (self.config.grid.cells(), self.config.bytes());
        if count == 1 || steps.is_some_and(|steps| choice::is_tiny((cells, bytes), steps)) {
            return self.whole(0).map(Some);
        }
        // It may have no room for all.
        let (Some(steps), Ok(cut)) = (steps, self.whole(0)) else { return Ok(None) };
        let pass = cut.stencils[0].config().steps_per_pass();
        let is_short = |seconds: &f64| choice::is_short(count, (steps, *seconds), pass, bytes);
        let seconds = self.step_seconds(&cut, pass.min(steps.max(1)), |seconds| is_short(&seconds)).ok();
        Ok(seconds.filter(is_short).map(|_| cut))
    }

    /// All GPUs with these shares, in rounds of this many steps.
    fn given(&self, shares: &[f64], halo: u32) -> Result<Cut, FleetError> {
        let (slabs, stencils) = self.slabs(shares, halo)?;
        let stepping = Stepping::new(slabs[0].depth());
        let used = (0..self.members.len()).collect();
        Ok(Cut { used, slabs, stencils, stepping, alone: None })
    }

    /// All GPUs with these shares, in rounds of this many steps at first.
    pub(crate) fn corrected(
        &self,
        shares: &[f64],
        halo: Option<u32>,
        alone: Option<Alone>,
    ) -> Result<Cut, FleetError> {
        let least = self.config.layers() / self.members.len() as u32 / self.config.stencil.radius();
        let halo = whole_units(&self.config, halo.unwrap_or(1).min(least));
        let cut = self.given(shares, halo)?;
        let unit = longest_pass(&cut.stencils);
        let room = room_of_halo(&self.config, (halo, unit), lowest(&cut.slabs));
        let stepping = Stepping::corrected(halo, whole_units(&self.config, unit.min(halo)), room);
        Ok(Cut { slabs: self.with_room(&cut.slabs, room)?, stepping, alone, ..cut })
    }

    /// The same cut with halos that have no more room than is used; `None` if they had no more.
    pub(crate) fn shallow(&self, cut: Cut) -> Result<Option<Cut>, FleetError> {
        let depth = cut.stepping.depth();
        if cut.stepping.most() == depth {
            return Ok(None);
        }
        let slabs = self.with_room(&cut.slabs, depth)?;
        Ok(Some(Cut { slabs, stepping: Stepping::new(depth), ..cut }))
    }

    /// The same slabs with room for rounds of this many steps.
    fn with_room(&self, slabs: &[Slab], steps: u32) -> Result<Vec<Slab>, FleetError> {
        let roomy = |slab: &Slab| Slab::new(self.config, slab.own(), steps)?.with_depth(slab.depth());
        Ok(slabs.iter().map(roomy).collect::<Result<_, _>>()?)
    }

    /// One GPU, which needs no halo.
    pub(crate) fn whole(&self, member: usize) -> Result<Cut, FleetError> {
        let Cutter { members, config, weights } = self;
        let device = &members[member].device;
        let stencil = Jacobi::new(device, *config, *weights)?;
        let passes = (depth::SUBMISSION / config.bytes().max(1)).clamp(1, depth::MOST_PASSES.into()) as u32;
        let steps = stencil.config().steps_per_pass().saturating_mul(passes);
        let windows = stencil.config().plan(device.features(), &device.limits())?.windows().len();
        let (slab, stencil) = if config.is_ring() && windows > 1 {
            // The two ends of the ring do not lie in one binding: it is its own neighbour.
            let steps = whole_units(config, steps.min(config.layers() / config.stencil.radius()));
            let slab = Slab::new(*config, 0..config.layers(), steps)?;
            let stencil = Jacobi::new(device, slab.config(), *weights)?;
            (slab, stencil)
        } else {
            (Slab::whole(*config, steps), stencil)
        };
        let stepping = Stepping::new(slab.depth());
        Ok(Cut { used: vec![member], slabs: vec![slab], stencils: vec![stencil], stepping, alone: None })
    }

    /// Measures all GPUs, cut with these shares, in rounds of a pass.
    fn measure(&self, shares: &[f64]) -> Result<Vec<Measured>, FleetError> {
        let count = self.members.len();
        let (slabs, stencils) = self.slabs(shares, whole_units(&self.config, 1))?;
        let steps = longest_pass(&stencils).min(lowest(&slabs) / self.config.stencil.radius());
        let (slabs, stencils) = self.slabs(shares, whole_units(&self.config, steps))?;
        let warm = |nth: usize| Warm::new(&self.members[nth], &stencils[nth], &slabs[nth]);
        // One after the other, so that none is in the others' way.
        let measured = each(0..count, warm)?.into_iter().enumerate();
        measured.map(|(nth, warm)| of(nth, warm.measure())).collect()
    }

    /// Measures steps of the whole grid on the fastest GPU, which was just at work. `None` if it has no room for it.
    fn measure_alone(&self, speeds: &[f64]) -> Option<Alone> {
        let (member, _) = speeds.iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let cut = self.whole(member).ok()?;
        let steps = ALONE * cut.stencils[0].config().steps_per_pass();
        let seconds = self.step_seconds(&cut, steps, |_| true).ok()?;
        Some(Alone { member, seconds })
    }

    /// Seconds of a step of the whole grid on one GPU, of this many at once: if the GPU may have idled too long for that to be `enough`, once it is warm.
    fn step_seconds(
        &self,
        cut: &Cut,
        steps: u32,
        is_enough: impl Fn(f64) -> bool,
    ) -> Result<f64, WorkerError> {
        let (member, stencil) = (&self.members[cut.used[0]], &cut.stencils[0]);
        let worker = Worker::new(member, stencil, &cut.slabs[0], &[], &[])?;
        let time = |steps| worker.passes_seconds(stencil, steps).map(|seconds| seconds / f64::from(steps));
        let few = time(steps)?.min(time(steps)?);
        // Of a few short passes the submission is a good part.
        let steps = (LONG / few / f64::from(steps)).clamp(1.0, MOST_TIMED) as u32 * steps;
        let time = || time(steps);
        let mut seconds = time()?;
        if !is_enough(seconds) {
            worker.warm(stencil, steps)?;
            seconds = seconds.min(time()?).min(time()?);
        }
        drop(worker);
        // Its buffers go when the device is polled: there may be no room for two grids.
        read::poll(&member.device)?;
        Ok(seconds)
    }

    /// Gives back buffers that were dropped: they go when a device is polled.
    pub(crate) fn release(&self) -> Result<(), FleetError> {
        let poll =
            |(nth, member): (usize, &Member)| of(nth, read::poll(&member.device).map_err(WorkerError::from));
        self.members.iter().enumerate().try_for_each(poll)
    }

    /// True if all GPUs have one name: then they are equally fast.
    fn are_alike(&self) -> bool {
        let name = |member: &Member| member.device.adapter_info().name;
        self.members.windows(2).all(|pair| name(&pair[0]) == name(&pair[1]))
    }

    /// The slabs for rounds of this many steps, and a stencil for each.
    fn slabs(&self, shares: &[f64], steps: u32) -> Result<(Vec<Slab>, Vec<Jacobi>), FleetError> {
        let members = self.members.len();
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
        let stencils = each(0..members, stencil)?;
        Ok((slabs, stencils))
    }
}

/// The steps that halos have room for where rounds of `halo` steps may get longer in the run: as many as 32 passes of a kernel that makes `unit` at once,
/// or four times as many as at first, but no more than an eighth of the lowest slab's layers.
pub fn room_of_halo(config: &Config, (halo, unit): (u32, u32), lowest: u32) -> u32 {
    let eighth = lowest / config.stencil.radius() / 8;
    let most = halo.saturating_mul(4).max(unit.saturating_mul(depth::MOST_PASSES));
    whole_units(config, most.min(eighth)).max(halo)
}

/// The steps that a kernel makes at once, at most.
fn longest_pass(stencils: &[Jacobi]) -> u32 {
    stencils.iter().map(|stencil| stencil.config().steps_per_pass()).max().unwrap_or(1)
}

/// The layers of the lowest slab.
fn lowest(slabs: &[Slab]) -> u32 {
    slabs.iter().map(|slab| slab.own().len() as u32).min().unwrap_or(1)
}
