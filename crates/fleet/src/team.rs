//! A grid on several GPUs of one process.

use std::io;
use std::ops::Range;

use halofold::Compiled;
use halofold::stencil::slab::{Change, Side, Slab};
use halofold::stencil::{Config, Jacobi, Outcome, Until, Weights};
use rayon::prelude::*;

use crate::depth::{self, Slabs};
use crate::error::{FleetError, check_contexts, each, of};
use crate::split::{part_of_layers, unit_of_layers};
use crate::stepping::{Round, Stepping};
use crate::threads::with_few_threads;
use crate::worker::{Cells, Member, Worker};

/// Bytes of faces from which several threads copy them. Fewer bytes are copied before another thread wakes up.
const THREADED: u64 = 2 << 20;

/// Bytes per second at which the host copies faces.
pub(crate) const COPY: f64 = 50e9;

/// Returns `config` with the kernel that steps all slabs, if the kernel is still open. It is the kernel that a GPU would take for the
/// whole grid, or for the largest part that fits a buffer, so the bits are those of one GPU. The tuning is left to each GPU.
pub fn kernel_of_parts(config: Config, device: &halofold::wgpu::Device) -> Config {
    let fitting = device.limits().max_buffer_size / config.layer_bytes().max(1);
    let layers = u64::from(config.layers()).min(fitting.max(1)) as u32;
    config.with_kernel_of(&config.with_layers(layers).on(device))
}

/// A grid in equal slabs, one on each GPU.
///
/// Each round is submitted to all GPUs at once. The calling thread waits for the faces of each GPU and copies them to its neighbours
/// while interiors run; further threads help with large faces. The grid has the bits of one GPU if all GPUs run the same kernel.
#[derive(Debug)]
pub struct Team {
    config: Config,
    /// In the order of the GPUs.
    workers: Vec<Worker>,
    stepping: Stepping,
}

impl Team {
    /// Cuts a grid into slabs and uploads its cells, and those of the right-hand side if the configuration has one. Faces are exchanged
    /// every `halo` steps, by default a number that a formula computes: see `docs/scale.md`.
    ///
    /// # Errors
    ///
    /// - The grid has too few layers for the number of GPUs.
    /// - A GPU lacks a limit or a feature, or is lost.
    /// - Several GPUs are used through OpenGL: see [`check_contexts`].
    /// - The cells cannot be read.
    /// - A right-hand side is missing, or given although the configuration has none.
    pub fn new(
        members: &[Member],
        config: Config,
        weights: Weights,
        (cells, rhs): (Cells<'_>, Option<Cells<'_>>),
        halo: Option<u32>,
    ) -> Result<Self, FleetError> {
        if rhs.is_some() != config.rhs {
            return Err(FleetError::Rhs);
        }
        let first = members.first().ok_or(FleetError::NoGpus)?;
        check_contexts(members.iter().map(|member| &member.device))?;
        let config = kernel_of_parts(config, &first.device);
        let slabs = slabs(members, config, halo)?;
        let load = |nth: usize| {
            let (member, slab) = (&members[nth], &slabs[nth]);
            let jacobi =
                Compiled::new(&member.device, Jacobi::new(slab.config(), weights), &Default::default())?;
            Worker::new(member, &jacobi, slab, cells, rhs)
        };
        let workers = each(members.len(), load)?;
        Ok(Team { config, workers, stepping: Stepping::new(slabs[0].depth()) })
    }

    /// Returns the workers, in the order of the GPUs.
    pub fn workers(&self) -> &[Worker] {
        &self.workers
    }

    /// Returns the steps per round; with one GPU, the steps per submission.
    pub const fn halo(&self) -> u32 {
        self.stepping.depth()
    }

    /// Returns the steps made, and the result of the last check.
    pub const fn outcome(&self) -> Outcome {
        self.stepping.outcome()
    }

    /// Makes `steps` steps. Returns when the last faces are exchanged; interiors may still run.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn advance(&mut self, steps: u32) -> Result<(), FleetError> {
        self.step(steps, None).map(drop)
    }

    /// Makes at most `steps` steps, until the last step changes little enough or a change is NaN. As with [`Compiled::bind_until`], a
    /// check follows every [`Until::every`] steps, counted from the first, and the last step. Squares are always added exactly, so runs
    /// stop at the same step on any GPUs. A converged run makes no more steps for this condition; [`Team::advance`] and other conditions
    /// continue.
    ///
    /// # Errors
    ///
    /// - The condition is no number, or checks come after every zero steps.
    /// - A device is lost.
    pub fn advance_until(&mut self, steps: u32, until: &Until) -> Result<Outcome, FleetError> {
        self.step(steps, Some(until))
    }

    /// Makes `steps` steps by [`Team::advance`], or at most `steps` by [`Team::advance_until`] if there is a condition.
    ///
    /// # Errors
    ///
    /// The errors of these two.
    pub fn step(&mut self, steps: u32, until: Option<&Until>) -> Result<Outcome, FleetError> {
        let Team { workers, stepping, .. } = self;
        stepping.run(steps, until, |round| {
            make(workers, round)?;
            round.is_checked.then(|| change(workers)).transpose()
        })
    }

    /// Waits for all submitted work.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn finish(&self) -> Result<(), FleetError> {
        self.workers.iter().enumerate().try_for_each(|(nth, worker)| of(nth, worker.finish()))
    }

    /// Waits for all submitted work, then passes a byte range of the grid to `sink`, in pieces and in order.
    ///
    /// # Errors
    ///
    /// - The range is not inside the grid.
    /// - `sink` fails.
    /// - A device is lost.
    pub fn read(
        &self,
        range: Range<u64>,
        mut sink: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), FleetError> {
        let bytes = self.config.bytes();
        if range.end > bytes || range.start > range.end {
            return Err(FleetError::Range { end: range.start.max(range.end), bytes });
        }
        for (nth, worker) in self.workers.iter().enumerate() {
            let slab = worker.slab();
            let [begin, end] =
                [slab.own().start, slab.own().end].map(|layer| u64::from(layer) * slab.layer_bytes());
            let (start, stop) = (range.start.max(begin), range.end.min(end));
            if start < stop {
                of(nth, worker.read(start - begin..stop - begin, &mut sink))?;
            }
        }
        Ok(())
    }
}

/// Returns the change of the last step over all slabs.
fn change(workers: &[Worker]) -> Result<Change, FleetError> {
    let mut changes = workers.iter().enumerate().map(|(nth, worker)| of(nth, worker.change()));
    let first = changes.next().expect("there is a GPU");
    changes.try_fold(first?, |mut all, change| {
        all.merge(&change?);
        Ok(all)
    })
}

/// Makes a round on each GPU and exchanges faces.
fn make(workers: &mut [Worker], round: Round) -> Result<(), FleetError> {
    let begin = |(nth, worker): (usize, &mut Worker)| of(nth, worker.begin(round.steps, round.is_checked));
    match &mut *workers {
        [one] => begin((0, one))?,
        // A driver needs as long for a submission as a GPU for a small slab.
        all => with_few_threads(|| all.par_iter_mut().enumerate().try_for_each(begin))?,
    }
    workers.iter_mut().enumerate().try_for_each(|(nth, worker)| of(nth, worker.wait()))?;
    exchange(workers)?;
    workers.iter_mut().enumerate().try_for_each(|(nth, worker)| of(nth, worker.release()))
}

/// Copies each face to the neighbour's halo.
fn exchange(workers: &[Worker]) -> Result<(), FleetError> {
    let count = workers.len();
    let copy = |nth: usize, side: Side| {
        let neighbour = match side {
            Side::Low => (nth + count - 1) % count,
            Side::High => (nth + 1) % count,
        };
        match of(nth, workers[nth].take(side))? {
            Some(edge) => of(neighbour, workers[neighbour].give(side.opposite(), &edge)),
            None => Ok(()),
        }
    };
    let faces = (0..count).flat_map(|nth| Side::BOTH.map(|side| (nth, side)));
    let is_there = |(nth, side): &(usize, Side)| workers[*nth].slab().edge(*side).is_some();
    let faces: Vec<_> = faces.filter(is_there).collect();
    if (faces.len() as u64) * workers[0].slab().face_bytes() < THREADED {
        return faces.into_iter().try_for_each(|(nth, side)| copy(nth, side));
    }
    with_few_threads(|| faces.into_par_iter().try_for_each(|(nth, side)| copy(nth, side)))
}

/// Cuts a grid into slabs, one per GPU.
fn slabs(members: &[Member], config: Config, halo: Option<u32>) -> Result<Vec<Slab>, FleetError> {
    let (count, layers, radius) = (members.len(), config.layers(), config.stencil.radius());
    let of_device = |config: Config| config.on(&members[0].device);
    if count == 1 && !is_own_neighbour(&members[0], config)? {
        let slabs = Slabs { layers, neighbours: 0, copy: 0.0 };
        let steps = halo.unwrap_or_else(|| depth::steps_of_round(&of_device(config), slabs));
        return Ok(vec![Slab::whole(
            config,
            steps.min(layers.div_ceil(radius).max(config.steps_per_pass())),
        )]);
    }
    let parts = |nth| part_of_layers(layers, unit_of_layers(&config), nth, count);
    let lowest = (0..count).map(|nth| parts(nth).len() as u32).min().unwrap_or(0);
    let too_few = |halo| FleetError::Layers { layers, members: count, halo };
    if lowest < radius {
        return Err(too_few(radius));
    }
    let is_ring = config.is_ring();
    let neighbours = if is_ring || count > 2 { 2 } else { 1 };
    let faces = 2 * count - if is_ring { 0 } else { 2 };
    let copy = faces as f64 * config.layer_bytes() as f64 / COPY;
    let by_formula = || {
        depth::steps_of_round(
            &of_device(config.with_layers(lowest)),
            Slabs { layers: lowest, neighbours, copy },
        )
    };
    let steps = halo.unwrap_or_else(by_formula);
    let halo = steps.saturating_mul(radius);
    if halo > lowest {
        return Err(too_few(halo));
    }
    Ok((0..count).map(|nth| Slab::new(config, parts(nth), steps)).collect::<Result<_, _>>()?)
}

/// Returns true if the only GPU must exchange faces with itself: the grid wraps, and its two ends do not fit one binding.
fn is_own_neighbour(member: &Member, config: Config) -> Result<bool, halofold::Error> {
    let device = &member.device;
    let plan = config.on(device).plan(device.features(), &device.limits());
    Ok(config.is_ring() && plan?.passes.len() > 1)
}
