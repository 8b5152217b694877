//! A grid's values on the ranks' GPUs, and their steps.

use std::ops::Range;
use std::time::Duration;

use halofold::stencil::slab::{Change, Side};
use halofold::stencil::{Config, Jacobi, Outcome, Until, Weights};
use halofold_cli::failure::Failure;
use halofold_cli::grid::grid_state::GridState;
use halofold_fleet::{Round, Stepping, Worker};
use mpi::collective::SystemOperation;

use crate::faces::Faces;
use crate::grid::{GlobalGrid, GridError};
use crate::{RankGpu, all_reduce};

/// Values on a [`GlobalGrid`], each rank's on its GPU.
///
/// A round of steps makes the outermost layers first. While the GPU computes the others, their edges go to the neighbours: through shared
/// memory on one node, by non-blocking sends and receives between nodes.
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
        // First of all: neighbours wait for it, also those of a rank that fails below.
        let faces = Faces::new(grid.ranks(), grid.slab());
        if rhs.is_some() != grid.config().rhs {
            return Err(GridError::Rhs);
        }
        let held = held(grid, cells)?;
        let rhs = rhs.map(|cells| self::held(grid, cells)).transpose()?;
        let jacobi = Jacobi::new(&gpu.device, grid.slab().config(), weights)?;
        let rhs: Vec<&[u8]> = rhs.iter().map(Vec::as_slice).collect();
        let worker = Worker::new(&gpu.member(), &jacobi, grid.slab(), &[&held], &rhs)?;
        Ok(Field { grid, worker, faces, stepping: grid.stepping() })
    }

    /// The steps done, and the last check of the whole grid.
    pub const fn outcome(&self) -> Outcome {
        self.stepping.outcome()
    }

    /// The configuration of this rank's layers, with the kernel and the tuning that step them.
    pub fn config(&self) -> Config {
        self.worker.stencil()
    }

    /// Makes so many steps. It returns when the last edges have been exchanged; interiors may still run. All ranks call this together.
    ///
    /// # Errors
    ///
    /// The device is lost.
    pub fn steps(&mut self, steps: u32) -> Result<(), GridError> {
        self.step(steps, None).map(drop)
    }

    /// Makes up to this many steps, until a check finds that the last step changed the grid little enough: after every [`Until::every`] steps,
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
        let rounds = self.stepping.begin(steps, until)?;
        while let Some(round) = self.stepping.next(&rounds) {
            self.round(round)?;
            let change = round.is_checked.then(|| self.change()).transpose()?;
            let ranks = self.grid.ranks();
            let slowest = |seconds| ranks.all(&[seconds], SystemOperation::max())[0];
            self.stepping.add(&rounds, round, change.as_ref(), slowest);
        }
        Ok(self.stepping.outcome())
    }

    /// Waits for all steps, and hands out this rank's layers, in pieces and in order.
    ///
    /// # Errors
    ///
    /// The device is lost.
    pub fn read(&self, sink: impl FnMut(&[u8])) -> Result<(), GridError> {
        let own = self.grid.slab().own_bytes();
        Ok(self.worker.read(0..own.end - own.start, sink)?)
    }

    /// A round of steps, and the exchange of edges behind its interior.
    fn round(&mut self, round: Round) -> Result<(), GridError> {
        let Field { grid, worker, faces, .. } = self;
        worker.set_depth(round.next)?;
        worker.begin(round.steps, round.is_checked)?;
        worker.wait()?;
        for side in Side::BOTH {
            if let Some(edge) = worker.take(side)? {
                faces.put(side, &edge);
            }
        }
        let bytes = worker.slab().face_bytes() as usize;
        faces.exchange(grid.ranks(), bytes);
        for side in Side::BOTH {
            if let Some(face) = faces.arrived(side, bytes) {
                worker.give(side, face)?;
            }
        }
        Ok(worker.release()?)
    }

    /// The change by the last step on all ranks.
    fn change(&self) -> Result<Change, GridError> {
        let own = self.worker.change()?;
        let ranks = self.grid.ranks();
        let largest = ranks.all(&[own.largest()], SystemOperation::max())[0];
        Ok(Change::from_parts(largest, all_reduce(ranks, own.squares())?))
    }
}

/// Steps of a file's grid, as the programs make them. All ranks make them together; each reads its own layers.
impl GridState for Field<'_> {
    fn advance(&mut self, steps: u32, until: Option<&Until>) -> Result<Option<f64>, Failure> {
        self.step(steps, until).map_err(Failure::usage)?;
        self.worker.finish().map_err(Failure::usage)?;
        Ok(None)
    }

    fn outcome(&self) -> Outcome {
        self.outcome()
    }

    fn depth(&self) -> u32 {
        self.stepping.best()
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        self.worker.read(range, |piece| bytes.extend_from_slice(piece)).map_err(Failure::usage)?;
        Ok(bytes)
    }

    /// The mean of all ranks: the same on each, as it decides how many steps are made next.
    fn took(&self, took: Duration) -> Duration {
        let ranks = self.grid.ranks();
        let all = ranks.sum(&[took.as_nanos() as i64])[0].unsigned_abs();
        Duration::from_nanos(all / ranks.count() as u64)
    }
}

/// A rank's own layers between the halos that its neighbours fill.
fn held(grid: &GlobalGrid<'_>, own: &[u8]) -> Result<Vec<u8>, GridError> {
    let place = grid.slab().own_bytes();
    let needed = place.end - place.start;
    if own.len() as u64 != needed {
        return Err(GridError::Cells { given: own.len(), needed });
    }
    let mut held = vec![0; grid.slab().bytes() as usize];
    held[place.start as usize..place.end as usize].copy_from_slice(own);
    grid.update_halo(&mut held)?;
    Ok(held)
}
