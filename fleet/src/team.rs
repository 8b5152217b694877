//! A grid on several GPUs of one process.

use std::ops::Range;

use halofold::stencil::slab::{Change, Side, Slab};
use halofold::stencil::{Config, Outcome, StencilError, Until, Weights};
use rayon::prelude::*;

use crate::cut::{Cutter, kernel_of_parts};
use crate::error::{FleetError, check_contexts, each, of};
use crate::stepping::{Round, Stepping};
use crate::worker::{Member, Worker};

/// Faces of at least so many bytes are copied side by side: the others are there before another thread wakes up.
const THREADED: u64 = 1 << 20;

/// The cut of a grid and the depth of its halos. By default everything is measured, which takes some rounds.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct TeamOptions {
    /// The layers of a halo, which is also the most steps between two exchanges. By default as many as measured times say: of a
    /// pass over memory, and of an exchange on the GPU, the bus and the host.
    pub halo: Option<u32>,
    /// The speed of each GPU, in any unit. By default measured, unless all have one name.
    pub shares: Option<Vec<f64>>,
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
}

/// A grid in slabs, one on each GPU.
///
/// One thread drives them all: it submits a round on each, waits for each one's edges, and copies faces from GPU to GPU while the
/// interiors run, faces of a MiB and more with the help of rayon's threads. The grid has the bits that one GPU gives, if the GPUs run the same kernel.
#[derive(Debug)]
pub struct Team {
    config: Config,
    workers: Workers,
    stepping: Stepping,
}

/// The workers, in the order of the GPUs.
#[derive(Debug)]
struct Workers(Vec<Worker>);

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
        let cutter = Cutter { members, config: kernel_of_parts(config, &first.device), weights };
        let (slabs, stencils) = cutter.cut(options)?;
        let rhs = rhs.unwrap_or_default();
        let load = |nth: usize| {
            let slab = &slabs[nth];
            let [cells, rhs] = [cells, rhs].map(|cells| pieces(slab, cells));
            Worker::new(&members[nth], &stencils[nth], slab, &cells, &rhs)
        };
        let workers = Workers(each(members.len(), load)?);
        Ok(Team { config, workers, stepping: Stepping::new(slabs[0].depth()) })
    }

    /// The workers, in the order of the GPUs.
    pub fn workers(&self) -> &[Worker] {
        &self.workers.0
    }

    /// The steps from one exchange to the next.
    pub fn halo(&self) -> u32 {
        self.workers.0[0].slab().depth()
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
        let rounds = self.stepping.begin(steps, until)?;
        while let Some(round) = self.stepping.next(&rounds) {
            self.workers.round(round)?;
            let change = round.is_checked.then(|| self.workers.change()).transpose()?;
            self.stepping.add(&rounds, round, change.as_ref(), |seconds| seconds);
        }
        Ok(self.stepping.outcome())
    }

    /// Waits for everything submitted.
    ///
    /// # Errors
    ///
    /// A device is lost.
    pub fn finish(&self) -> Result<(), FleetError> {
        self.workers.0.iter().enumerate().try_for_each(|(nth, worker)| of(nth, worker.finish()))
    }

    /// Waits for everything submitted, and reads some bytes of the grid.
    ///
    /// # Errors
    ///
    /// - The range is not inside the grid.
    /// - A device is lost.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>, FleetError> {
        let asked = range.end.saturating_sub(range.start);
        if range.end > self.config.bytes() || range.start > range.end {
            return Err(FleetError::Cells { given: asked as usize, needed: self.config.bytes() });
        }
        let mut bytes = Vec::with_capacity(asked as usize);
        for (nth, worker) in self.workers.0.iter().enumerate() {
            let slab = worker.slab();
            let [begin, end] =
                [slab.own().start, slab.own().end].map(|layer| u64::from(layer) * slab.layer_bytes());
            let (start, stop) = (range.start.max(begin), range.end.min(end));
            if start < stop {
                of(nth, worker.read(start - begin..stop - begin, |piece| bytes.extend_from_slice(piece)))?;
            }
        }
        Ok(bytes)
    }
}

impl Workers {
    /// The change by the last step in all slabs.
    fn change(&self) -> Result<Change, FleetError> {
        let mut changes = self.0.iter().enumerate().map(|(nth, worker)| of(nth, worker.change()));
        let first = changes.next().expect("there is a GPU");
        changes.try_fold(first?, |mut all, change| {
            all.merge(&change?);
            Ok(all)
        })
    }

    /// A round on each GPU, and the exchange after it.
    fn round(&mut self, round: Round) -> Result<(), FleetError> {
        for (nth, worker) in self.0.iter_mut().enumerate() {
            of(nth, worker.set_depth(round.next).and_then(|()| worker.begin(round.steps, round.is_checked)))?;
        }
        for (nth, worker) in self.0.iter_mut().enumerate() {
            of(nth, worker.wait())?;
        }
        self.exchange()?;
        for (nth, worker) in self.0.iter_mut().enumerate() {
            of(nth, worker.release())?;
        }
        Ok(())
    }

    /// Brings each edge to the neighbour's halo.
    fn exchange(&self) -> Result<(), FleetError> {
        let count = self.0.len();
        let copy = |nth: usize, side: Side| {
            let neighbour = match side {
                Side::Low => (nth + count - 1) % count,
                Side::High => (nth + 1) % count,
            };
            match of(nth, self.0[nth].take(side))? {
                Some(edge) => of(neighbour, self.0[neighbour].give(side.opposite(), &edge)),
                None => Ok(()),
            }
        };
        let faces: Vec<_> = (0..count).flat_map(|nth| Side::BOTH.map(|side| (nth, side))).collect();
        if self.0[0].slab().face_bytes() < THREADED {
            return faces.into_iter().try_for_each(|(nth, side)| copy(nth, side));
        }
        faces.into_par_iter().try_for_each(|(nth, side)| copy(nth, side))
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
