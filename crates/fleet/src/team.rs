//! A grid on several GPUs of one process.

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::time::{Duration, Instant};

use halofold::stencil::slab::{Change, Side, Slab};
use halofold::stencil::{Config, Outcome, StencilError, Until, Weights};
use rayon::prelude::*;

use crate::choice::{Alone, Progress};
use crate::cut::{Cut, Cutter, kernel_of_parts};
use crate::error::{FleetError, WorkerError, check_contexts, each, of};
use crate::stepping::{Round, Rounds, Stepping};
use crate::threads::with_few_threads;
use crate::worker::{Member, Worker};

/// Faces of at least so many bytes together are copied side by side: the others are there before another thread wakes up.
const THREADED: u64 = 2 << 20;

/// The cut of a grid and the depth of its halos. By default everything is measured, which takes some rounds, and one GPU steps the whole grid where
/// several are slower.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TeamOptions {
    /// The steps between two exchanges, at most: a halo has as many layers as they reach. A cut that gives them uses all GPUs. By default as many as
    /// measured times say: of a pass over memory, and of an exchange on the GPU, the bus and the host, corrected by those of rounds in the run.
    pub halo: Option<u32>,
    /// The speed of each GPU, in any unit. By default measured, unless all have one name. One GPU may still get the whole grid, if `halo` is not given.
    pub shares: Option<Vec<f64>>,
    /// The steps of the whole run, if they are known. A short one is left to the first GPU: measuring several would take longer than they save.
    pub steps: Option<u32>,
    /// True if the run is known not to be short, by [`is_short`](crate::is_short): that is not asked again.
    pub is_long: bool,
}

impl TeamOptions {
    /// The same with this many layers in a halo.
    pub fn with_halo(self, halo: u32) -> Self {
        TeamOptions { halo: Some(halo), ..self }
    }

    /// The same with these speeds.
    pub fn with_shares(self, shares: Vec<f64>) -> Self {
        TeamOptions { shares: Some(shares), ..self }
    }

    /// The same for a run of this many steps.
    pub fn with_steps(self, steps: u32) -> Self {
        TeamOptions { steps: Some(steps), ..self }
    }

    /// The same for a run that is known not to be short.
    pub fn known_long(self) -> Self {
        TeamOptions { is_long: true, ..self }
    }
}

/// A grid in slabs, one on each GPU, or if that is faster on one of them.
///
/// A round is submitted to all of them at once. The thread that asks waits for each one's edges, and copies faces from GPU to GPU while the
/// interiors run, long ones with the help of a few others. The grid has the bits that one GPU gives, if the GPUs run the same kernel.
#[derive(Debug)]
pub struct Team {
    cutter: Cutter,
    workers: Workers,
    stepping: Stepping,
    choice: Option<Choice>,
    /// The steps of the whole run, if they are known.
    steps: Option<u32>,
    /// The time of the upload.
    loading: Duration,
}

/// The times by which several GPUs are held against one of them.
#[derive(Clone, Copy, Debug)]
struct Choice {
    alone: Alone,
    all: Progress,
}

/// The workers, in the order of the GPUs.
#[derive(Debug)]
struct Workers {
    all: Vec<Worker>,
    /// Their GPUs.
    used: Vec<usize>,
    /// The way of an edge to the worker on whose side it is.
    deliver: Deliver,
}

/// Gives a worker the halo on a side.
type Deliver = fn(&Worker, Side, &[u8]) -> Result<(), WorkerError>;

impl Team {
    /// Cuts a grid into slabs, measures the options that are not set, and uploads `cells`, and `rhs` if the configuration has a
    /// right-hand side.
    ///
    /// # Errors
    ///
    /// - The grid has too few layers for so many GPUs.
    /// - A GPU lacks a limit or a feature, or is lost.
    /// - Several GPUs are used through OpenGL: see [`check_contexts`].
    /// - There are other cells than the grid's.
    /// - A right-hand side is missing, or given although the configuration has none.
    pub fn new(
        members: &[Member],
        config: Config,
        weights: Weights,
        (cells, rhs): (&[u8], Option<&[u8]>),
        options: &TeamOptions,
    ) -> Result<Self, FleetError> {
        for given in [Some(cells), rhs].into_iter().flatten() {
            if given.len() as u64 != config.bytes() {
                return Err(FleetError::Cells { given: given.len(), needed: config.bytes() });
            }
        }
        if rhs.is_some() != config.rhs {
            return Err(StencilError::RightHandSide { needed: config.rhs }.into());
        }
        let first = members.first().ok_or(FleetError::Shares { shares: 0, members: 0 })?;
        check_contexts(members.iter().map(|member| &member.device))?;
        let config = kernel_of_parts(config, &first.device);
        let cutter = Cutter { members: members.to_vec(), config, weights };
        let (mut cut, rhs) = (cutter.cut(options)?, rhs.unwrap_or_default());
        let start = Instant::now();
        let workers = match Workers::load(&cutter, &cut, cells, rhs) {
            Ok(workers) => workers,
            // There may be no room for halos that get deeper.
            Err(error) => {
                cut = cutter.shallow(cut)?.ok_or(error)?;
                cutter.release()?;
                Workers::load(&cutter, &cut, cells, rhs)?
            }
        };
        let choice = cut.alone.map(|alone| Choice { alone, all: Progress::default() });
        let (stepping, steps, loading) = (cut.stepping, options.steps, start.elapsed());
        Ok(Team { cutter, workers, stepping, choice, steps, loading })
    }

    /// The workers, in the order of the GPUs: one for each of [`Team::used`].
    pub fn workers(&self) -> &[Worker] {
        &self.workers.all
    }

    /// The numbers of the GPUs that have a slab. One has the whole grid where several are slower.
    pub fn used(&self) -> &[usize] {
        &self.workers.used
    }

    /// The steps from one exchange to the next, as the run has found them best so far; of one GPU, those of a submission.
    pub fn halo(&self) -> u32 {
        self.stepping.best()
    }

    /// The steps done, and the result of the last check.
    pub const fn outcome(&self) -> Outcome {
        self.stepping.outcome()
    }

    /// Makes so many steps. It returns when the last edges have been exchanged; interiors may still run.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn advance(&mut self, steps: u32) -> Result<(), FleetError> {
        self.step(steps, None).map(drop)
    }

    /// Makes up to this many steps, until a check finds that the last step changed little enough. As with
    /// [`Jacobi::prepare_until`](halofold::stencil::Jacobi::prepare_until), a check comes after every [`Until::every`] steps since the first, and after the last one. Squares
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

    /// Makes so many steps, or if there is a condition up to so many: [`Team::advance`] or [`Team::advance_until`].
    ///
    /// # Errors
    ///
    /// Those of the two.
    pub fn step(&mut self, steps: u32, until: Option<&Until>) -> Result<Outcome, FleetError> {
        self.workers.check()?;
        let rounds = self.stepping.begin(steps, until)?;
        while let Some(round) = self.stepping.next(&rounds) {
            let start = Instant::now();
            self.workers.round(round)?;
            let change = round.is_checked.then(|| self.workers.change()).transpose()?;
            self.stepping.add(&rounds, round, change.as_ref(), |seconds| seconds);
            if let Some(choice) = &mut self.choice {
                choice.all.add(round.steps, start.elapsed(), self.stepping.is_settled());
            }
            if let Some(member) = self.faster_alone(&rounds) {
                self.move_to(member)?;
            }
        }
        Ok(self.stepping.outcome())
    }

    /// The GPU that is to go on alone, if it is faster than all in this run.
    fn faster_alone(&self, rounds: &Rounds) -> Option<usize> {
        let Choice { alone, all } = self.choice.as_ref()?;
        self.stepping.next(rounds)?;
        let done = self.stepping.outcome().steps;
        // A run of unknown length is taken to be half over.
        let end = self.steps.unwrap_or_else(|| done.saturating_mul(2)).max(rounds.end());
        // All cells are read, and uploaded again.
        let moving = 3.0 * self.loading.as_secs_f64();
        alone.is_faster(all, end.saturating_sub(done), moving).then_some(alone.member)
    }

    /// Moves the grid to one GPU.
    fn move_to(&mut self, member: usize) -> Result<(), FleetError> {
        let bytes = self.cutter.config.bytes();
        let cells = self.read(0..bytes)?;
        let rhs = if self.cutter.config.rhs {
            self.read_parts(0..bytes, |worker, range, sink| worker.read_rhs(range, sink))?
        } else {
            Vec::new()
        };
        let cut = self.cutter.whole(member)?;
        let load = || Workers::load(&self.cutter, &cut, &cells, &rhs);
        self.workers = match load() {
            Ok(workers) => workers,
            // There may be no room for both.
            Err(_) => {
                self.workers.all.clear();
                self.cutter.release()?;
                load()?
            }
        };
        self.stepping.set_depth(cut.stepping.depth());
        self.choice = None;
        log::info!("halofold fleet: GPU {member} goes on alone, which is faster than all");
        Ok(())
    }

    /// Waits for everything submitted.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn finish(&self) -> Result<(), FleetError> {
        self.workers.each().try_for_each(|(member, worker)| of(member, worker.finish()))
    }

    /// Waits for everything submitted, and reads some bytes of the grid.
    ///
    /// # Errors
    ///
    /// - The range is not inside the grid.
    /// - A device is lost.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>, FleetError> {
        let needed = self.cutter.config.bytes();
        let asked = range.end.saturating_sub(range.start);
        if range.end > needed || range.start > range.end {
            return Err(FleetError::Cells { given: asked as usize, needed });
        }
        self.read_parts(range, |worker, range, sink| worker.read(range, sink))
    }

    /// Reads some bytes of a grid that lies on all workers, each of which `read`s some bytes of its own layers.
    fn read_parts(
        &self,
        range: Range<u64>,
        read: impl Fn(&Worker, Range<u64>, &mut dyn FnMut(&[u8])) -> Result<(), WorkerError>,
    ) -> Result<Vec<u8>, FleetError> {
        self.workers.check()?;
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        for (member, worker) in self.workers.each() {
            let slab = worker.slab();
            let [begin, end] =
                [slab.own().start, slab.own().end].map(|layer| u64::from(layer) * slab.layer_bytes());
            let (start, stop) = (range.start.max(begin), range.end.min(end));
            if start < stop {
                let sink = &mut |piece: &[u8]| bytes.extend_from_slice(piece);
                of(member, read(worker, start - begin..stop - begin, sink))?;
            }
        }
        Ok(bytes)
    }
}

impl Workers {
    /// A worker for each slab of a cut, with its cells.
    fn load(cutter: &Cutter, cut: &Cut, cells: &[u8], rhs: &[u8]) -> Result<Self, FleetError> {
        let load = |nth: usize| {
            let slab = &cut.slabs[nth];
            let [cells, rhs] = [cells, rhs].map(|cells| pieces(slab, cells));
            Worker::new(&cutter.members[cut.used[nth]], &cut.stencils[nth], slab, &cells, &rhs)
        };
        let all = each(cut.used.iter().copied(), load)?;
        // Of two the pass hides what it takes to demote edges. With more the host is the limit.
        let deliver = if all.len() == 2 { Worker::give_edge } else { Worker::give };
        Ok(Workers { all, used: cut.used.clone(), deliver })
    }

    /// Checks that there are workers: a move to one GPU may have failed.
    fn check(&self) -> Result<(), FleetError> {
        let lost = WorkerError::Device("the grid is lost: it could not be moved to this GPU".to_owned());
        if self.all.is_empty() { of(self.used[0], Err(lost)) } else { Ok(()) }
    }

    /// Each worker, and the number of its GPU.
    fn each(&self) -> impl Iterator<Item = (usize, &Worker)> {
        self.used.iter().copied().zip(&self.all)
    }

    /// The same, to change them.
    fn each_mut(&mut self) -> impl Iterator<Item = (usize, &mut Worker)> {
        self.used.iter().copied().zip(&mut self.all)
    }

    /// The change by the last step in all slabs.
    fn change(&self) -> Result<Change, FleetError> {
        let mut changes = self.each().map(|(member, worker)| of(member, worker.change()));
        let first = changes.next().expect("there is a GPU");
        changes.try_fold(first?, |mut all, change| {
            all.merge(&change?);
            Ok(all)
        })
    }

    /// A round on each GPU, and the exchange after it.
    fn round(&mut self, round: Round) -> Result<(), FleetError> {
        let begin = |(member, worker): (&usize, &mut Worker)| {
            let depth = worker.set_depth(round.next);
            of(*member, depth.and_then(|()| worker.begin(round.steps, round.is_checked)))
        };
        let Workers { all, used, .. } = self;
        match &mut all[..] {
            [one] => begin((&used[0], one))?,
            // A submission takes a driver as long as a pass over a small slab.
            all => with_few_threads(|| used.par_iter().zip(all).try_for_each(begin))?,
        }
        for (member, worker) in self.each_mut() {
            of(member, worker.wait())?;
        }
        self.exchange()?;
        for (member, worker) in self.each_mut() {
            of(member, worker.release())?;
        }
        Ok(())
    }

    /// Brings each edge to the neighbour's halo.
    fn exchange(&self) -> Result<(), FleetError> {
        let count = self.all.len();
        let copy = |nth: usize, side: Side| {
            let neighbour = match side {
                Side::Low => (nth + count - 1) % count,
                Side::High => (nth + 1) % count,
            };
            match of(self.used[nth], self.all[nth].take(side))? {
                Some(edge) => {
                    let given = (self.deliver)(&self.all[neighbour], side.opposite(), &edge);
                    of(self.used[neighbour], given)
                }
                None => Ok(()),
            }
        };
        let faces = (0..count).flat_map(|nth| Side::BOTH.map(|side| (nth, side)));
        let is_there = |(nth, side): &(usize, Side)| self.all[*nth].slab().edge(*side).is_some();
        let faces: Vec<_> = faces.filter(is_there).collect();
        if (faces.len() as u64) * self.all[0].slab().face_bytes() < THREADED {
            return faces.into_iter().try_for_each(|(nth, side)| copy(nth, side));
        }
        with_few_threads(|| faces.into_par_iter().try_for_each(|(nth, side)| copy(nth, side)))
    }
}

/// The cells that a slab holds, of a whole grid.
fn pieces<'a>(slab: &Slab, cells: &'a [u8]) -> Vec<&'a [u8]> {
    if cells.is_empty() {
        return Vec::new();
    }
    let size = slab.layer_bytes() as usize;
    let piece = |layers: Range<u32>| &cells[layers.start as usize * size..layers.end as usize * size];
    slab.held_parts().into_iter().map(piece).collect()
}
