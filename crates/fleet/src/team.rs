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

/// Bytes of faces from which on threads copy them in parallel: fewer bytes are copied before another thread wakes up.
const THREADED: u64 = 2 << 20;

/// Bytes of faces that the host copies in a second.
pub(crate) const COPY: f64 = 50e9;

/// Returns the configuration of a grid with the kernel that all its parts are stepped by, if that is still open: the one that a GPU would take for
/// the whole grid, so that the bits are those of one GPU, or if the grid is too large for a buffer, for as much of it as fits. The kernel's
/// tuning is left to each GPU.
pub fn kernel_of_parts(config: Config, device: &halofold::wgpu::Device) -> Config {
    let fitting = device.limits().max_buffer_size / config.layer_bytes().max(1);
    let layers = u64::from(config.layers()).min(fitting.max(1)) as u32;
    config.with_kernel_of(&config.with_layers(layers).on(device))
}

/// A grid in equal slabs, one on each GPU.
///
/// A round is submitted to all of them at once. The thread that asks waits for each one's edges, and copies faces from GPU to GPU while the
/// interiors run, long ones with the help of a few others. The grid has the bits that one GPU gives, if the GPUs run the same kernel.
#[derive(Debug)]
pub struct Team {
    config: Config,
    /// In the order of the GPUs.
    workers: Vec<Worker>,
    stepping: Stepping,
}

impl Team {
    /// Cuts a grid into slabs, and uploads its cells, and those of the right-hand side if the configuration has one. Faces are exchanged after
    /// `halo` steps: a halo has as many layers as they reach. By default a formula says how many: see `docs/scale.md`.
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

    /// The workers, in the order of the GPUs.
    pub fn workers(&self) -> &[Worker] {
        &self.workers
    }

    /// The steps from one exchange to the next; of one GPU, those of a submission.
    pub const fn halo(&self) -> u32 {
        self.stepping.depth()
    }

    /// The steps done, and the result of the last check.
    pub const fn outcome(&self) -> Outcome {
        self.stepping.outcome()
    }

    /// Makes `steps` steps. It returns when the last edges have been exchanged; interiors may still run.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn advance(&mut self, steps: u32) -> Result<(), FleetError> {
        self.step(steps, None).map(drop)
    }

    /// Makes up to this many steps, until a check finds that the last step changed little enough, or NaN. As with
    /// [`Compiled::bind_until`], a check comes after every [`Until::every`] steps since the first, and after the last one. Squares
    /// are always added exactly, so that runs on any GPUs stop at the same step. A run that has converged makes no more steps for
    /// this condition; [`Team::advance`] and another condition go on.
    ///
    /// # Errors
    ///
    /// - The condition is no number, or checks come after every zero steps.
    /// - A device is lost.
    pub fn advance_until(&mut self, steps: u32, until: &Until) -> Result<Outcome, FleetError> {
        self.step(steps, Some(until))
    }

    /// Makes `steps` steps, or at most `steps` if there is a condition: [`Team::advance`] or [`Team::advance_until`].
    ///
    /// # Errors
    ///
    /// Those of the two.
    pub fn step(&mut self, steps: u32, until: Option<&Until>) -> Result<Outcome, FleetError> {
        let Team { workers, stepping, .. } = self;
        stepping.run(steps, until, |round| {
            make(workers, round)?;
            round.is_checked.then(|| change(workers)).transpose()
        })
    }

    /// Waits for everything submitted.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn finish(&self) -> Result<(), FleetError> {
        self.workers.iter().enumerate().try_for_each(|(nth, worker)| of(nth, worker.finish()))
    }

    /// Waits for everything submitted, and passes some bytes of the grid to `sink`, in pieces and in order.
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

/// The change by the last step in all slabs.
fn change(workers: &[Worker]) -> Result<Change, FleetError> {
    let mut changes = workers.iter().enumerate().map(|(nth, worker)| of(nth, worker.change()));
    let first = changes.next().expect("there is a GPU");
    changes.try_fold(first?, |mut all, change| {
        all.merge(&change?);
        Ok(all)
    })
}

/// Makes a round on each GPU, and the exchange after it.
fn make(workers: &mut [Worker], round: Round) -> Result<(), FleetError> {
    let begin = |(nth, worker): (usize, &mut Worker)| of(nth, worker.begin(round.steps, round.is_checked));
    match &mut *workers {
        [one] => begin((0, one))?,
        // A submission takes a driver as long as a pass over a small slab.
        all => with_few_threads(|| all.par_iter_mut().enumerate().try_for_each(begin))?,
    }
    workers.iter_mut().enumerate().try_for_each(|(nth, worker)| of(nth, worker.wait()))?;
    exchange(workers)?;
    workers.iter_mut().enumerate().try_for_each(|(nth, worker)| of(nth, worker.release()))
}

/// Brings each edge to the neighbour's halo.
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

/// The slabs of a grid, one for each GPU.
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

/// Returns true if a ring's two ends do not lie in one binding of its only GPU: then it exchanges faces with itself.
fn is_own_neighbour(member: &Member, config: Config) -> Result<bool, halofold::Error> {
    let device = &member.device;
    let plan = config.on(device).plan(device.features(), &device.limits());
    Ok(config.is_ring() && plan?.passes.len() > 1)
}
