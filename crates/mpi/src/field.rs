//! A grid's values on the ranks' GPUs, and their steps.

use std::io;
use std::ops::Range;

use halofold::Compiled;
use halofold::stencil::slab::{Change, Side};
use halofold::stencil::{Config, Jacobi, Outcome, Tuning, Until, Variant, Weights};
use halofold_fleet::{
    Cells, GridState, Round, Sink, StepError, Stepping, Worker, in_memory, steps_of_submission,
};
use mpi::collective::SystemOperation;

use crate::faces::Faces;
use crate::grid::{GlobalGrid, GridError};
use crate::{RankGpu, all_reduce};

/// Values on a [`GlobalGrid`], each rank's on its GPU.
///
/// A round of steps makes the outermost layers first. While the GPU computes the others, their edges go to the neighbours by non-blocking sends
/// and receives.
pub struct Field<'g> {
    grid: &'g GlobalGrid<'g>,
    worker: Worker,
    faces: Faces,
    stepping: Stepping,
}

impl<'g> Field<'g> {
    /// Uploads this rank's layers, and those of the right-hand side if the grid's configuration has one. Halos are the
    /// neighbours' business. All ranks call this together.
    ///
    /// # Errors
    ///
    /// - There are other cells than those of this rank's part, or a right-hand side that the configuration has not.
    /// - The device lacks a limit or a feature, or is lost.
    pub fn new(
        grid: &'g GlobalGrid<'g>,
        gpu: &RankGpu,
        weights: Weights,
        cells: &[u8],
        rhs: Option<&[u8]>,
    ) -> Result<Self, GridError> {
        if rhs.is_some() != grid.config().rhs {
            return Err(GridError::Rhs);
        }
        let (cells, rhs) = (held(grid, cells)?, rhs.map(|cells| held(grid, cells)).transpose()?);
        // The cells of the whole grid from a byte on, of those that this rank holds.
        let (slab, config) = (grid.slab(), grid.config());
        let first = slab.held().start.rem_euclid(config.layers().into()) as u64 * slab.layer_bytes();
        let cells_of = |held: &[u8], start: u64, into: &mut [u8]| {
            in_memory(held)((start + config.bytes() - first) % config.bytes(), into)
        };
        let fill = |start: u64, into: &mut [u8]| cells_of(&cells, start, into);
        let rhs = rhs.as_ref().map(|rhs| |start: u64, into: &mut [u8]| cells_of(rhs, start, into));
        Self::load(grid, gpu, weights, &fill, rhs.as_ref().map(|rhs| rhs as Cells<'_>))
    }

    /// The same with cells of the whole grid, of which each rank takes those that it holds.
    ///
    /// # Errors
    ///
    /// As [`Field::new`], and if the cells cannot be read.
    pub fn load(
        grid: &'g GlobalGrid<'g>,
        gpu: &RankGpu,
        weights: Weights,
        cells: Cells<'_>,
        rhs: Option<Cells<'_>>,
    ) -> Result<Self, GridError> {
        let slab = grid.slab();
        let jacobi = Compiled::new(&gpu.device, Jacobi::new(slab.config(), weights), &Default::default())?;
        let worker = Worker::new(&gpu.member(), &jacobi, slab, cells, rhs)?;
        Ok(Field { grid, worker, faces: Faces::new(slab), stepping: Stepping::new(slab.depth()) })
    }

    /// The steps done, and the last check of the whole grid.
    pub const fn outcome(&self) -> Outcome {
        self.stepping.outcome()
    }

    /// The configuration of this rank's layers, with the kernel and the tuning that step them.
    pub fn config(&self) -> Config {
        self.worker.stencil()
    }

    /// Makes `steps` steps. It returns when the last edges have been exchanged; interiors may still run. All ranks call this together.
    ///
    /// # Errors
    ///
    /// The device is lost.
    pub fn steps(&mut self, steps: u32) -> Result<(), GridError> {
        self.step(steps, None).map(drop)
    }

    /// Makes up to this many steps, until a check finds that the last step changed the grid little enough, or NaN: after every [`Until::every`] steps,
    /// and after the last one. All ranks stop at the same step, and it does not depend on their number: the largest change is found by a
    /// maximum, and squares are added exactly. A grid that has converged makes no more steps for this condition; [`Field::steps`] and another condition
    /// go on. All ranks call this together.
    ///
    /// # Errors
    ///
    /// - The condition is no number, or checks come after every zero steps.
    /// - The device is lost.
    pub fn steps_until(&mut self, steps: u32, until: &Until) -> Result<Outcome, GridError> {
        self.step(steps, Some(until))
    }

    fn step(&mut self, steps: u32, until: Option<&Until>) -> Result<Outcome, GridError> {
        let Field { grid, worker, faces, stepping } = self;
        stepping.run(steps, until, |round| {
            make(grid, worker, faces, round)?;
            round.is_checked.then(|| change(grid, worker)).transpose()
        })
    }

    /// Waits for all steps, and hands out this rank's layers, in pieces and in order.
    ///
    /// # Errors
    ///
    /// - `sink` fails.
    /// - The device is lost.
    pub fn read(&self, sink: impl FnMut(&[u8]) -> io::Result<()>) -> Result<(), GridError> {
        let own = self.grid.slab().own_bytes();
        Ok(self.worker.read(0..own.end - own.start, sink)?)
    }
}

/// Steps of a file's grid, as the programs make them. All ranks make them together; each reads its own layers.
impl GridState for Field<'_> {
    fn advance(&mut self, steps: u32, until: Option<&Until>) -> Result<Option<f64>, StepError> {
        self.step(steps, until)?;
        Ok(None)
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }

    fn batch(&self, until: Option<&Until>) -> u32 {
        // The same on all ranks, whose parts and adapters may differ.
        let config = self.grid.config();
        let config = config.with_layers(config.layers().div_ceil(self.grid.ranks().count() as u32));
        steps_of_submission(&config, self.stepping.depth(), until, false)
    }

    fn end(&mut self) -> Result<(), StepError> {
        Ok(self.worker.finish()?)
    }

    fn read(&self, range: Range<u64>, sink: Sink<'_>) -> Result<(), StepError> {
        Ok(self.worker.read(range, sink)?)
    }

    fn kernel(&self) -> (&'static Variant, Tuning) {
        let config = self.config();
        (config.variant, config.tuning)
    }

    fn cut(&self) -> Option<(Vec<u32>, u32)> {
        let layers = self.grid.layers().iter().map(|layers| *layers as u32);
        Some((layers.collect(), self.stepping.depth()))
    }
}

/// A rank's own layers between the halos that come from its neighbours. All ranks call this together.
fn held(grid: &GlobalGrid<'_>, own: &[u8]) -> Result<Vec<u8>, GridError> {
    let slab = grid.slab();
    let place = |range: Range<u64>| range.start as usize..range.end as usize;
    let needed = slab.own_bytes().end - slab.own_bytes().start;
    if own.len() as u64 != needed {
        return Err(GridError::Cells(own.len(), needed));
    }
    let mut held = vec![0; slab.bytes() as usize];
    held[place(slab.own_bytes())].copy_from_slice(own);
    let mut faces = Faces::new(slab);
    for side in Side::BOTH {
        if let Some(edge) = slab.edge(side) {
            faces.put(side, &held[place(edge)]);
        }
    }
    faces.exchange(grid.ranks());
    for side in Side::BOTH {
        if let (Some(halo), Some(face)) = (slab.halo(side), faces.arrived(side)) {
            held[place(halo)].copy_from_slice(face);
        }
    }
    Ok(held)
}

/// Makes a round of steps, and exchanges edges behind its interior.
fn make(
    grid: &GlobalGrid<'_>,
    worker: &mut Worker,
    faces: &mut Faces,
    round: Round,
) -> Result<(), GridError> {
    worker.begin(round.steps, round.is_checked)?;
    worker.wait()?;
    for side in Side::BOTH {
        if let Some(edge) = worker.take(side)? {
            faces.put(side, &edge);
        }
    }
    faces.exchange(grid.ranks());
    for side in Side::BOTH {
        if let Some(face) = faces.arrived(side) {
            worker.give(side, face)?;
        }
    }
    Ok(worker.release()?)
}

/// The change by the last step on all ranks.
fn change(grid: &GlobalGrid<'_>, worker: &Worker) -> Result<Change, GridError> {
    let (own, ranks) = (worker.change()?, grid.ranks());
    let largest = ranks.all(&[own.largest()], SystemOperation::max())[0];
    Ok(Change::from_parts(largest, all_reduce(ranks, own.squares())?))
}
