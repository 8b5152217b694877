//! Steps with their cells on the host: these functions record, submit, and wait or give a future.

use bytemuck::AnyBitPattern;
use wgpu::{Buffer, CommandEncoder, Queue};

use crate::gpu::Compiled;
use crate::gpu::error::Error;
use crate::read::{self, Readback};
use crate::stencil::convergence::Convergence;
use crate::stencil::grids::Grids;
use crate::stencil::jacobi::Jacobi;
use crate::stencil::until::{Outcome, Until};

impl Compiled<Jacobi> {
    /// Records `steps` steps, submits, waits, and returns the cells. This is for tools and tests; an
    /// application should use [`Compiled::bind`]. In a browser only [`Compiled::run_async`] works.
    ///
    /// `T` must be as wide as a cell. The grids also need [`wgpu::BufferUsages::COPY_SRC`].
    ///
    /// # Errors
    ///
    /// - The errors of [`Compiled::bind`].
    /// - `T` has another width than a cell.
    /// - The device is lost.
    pub fn run<T: AnyBitPattern>(
        &self,
        queue: &Queue,
        grids: Grids<'_>,
        steps: u32,
    ) -> Result<Vec<T>, Error> {
        Ok(cells(&self.submit_steps::<T>(queue, grids, steps)?.wait(self.config().bytes())?))
    }

    /// Returns the cells after `steps` steps without blocking. It records and submits at once. The future completes when the work
    /// is done and something else has polled the device; in a browser it completes without polling.
    ///
    /// # Errors
    ///
    /// See [`Compiled::run`].
    pub fn run_async<T: AnyBitPattern>(
        &self,
        queue: &Queue,
        grids: Grids<'_>,
        steps: u32,
    ) -> impl Future<Output = Result<Vec<T>, Error>> + use<T> {
        let size = self.config().bytes();
        let results = self.submit_steps::<T>(queue, grids, steps).map(|readback| readback.read(size));
        async move { Ok(cells(&results?.await?)) }
    }

    /// Records up to `steps` steps, which stop once a check finds the residual below epsilon. Submits, waits,
    /// and returns the outcome and the cells. In a browser only [`Compiled::run_until_async`] works.
    ///
    /// # Errors
    ///
    /// See [`Compiled::bind_until`] and [`Compiled::run`].
    pub fn run_until<T: AnyBitPattern>(
        &self,
        queue: &Queue,
        grids: Grids<'_>,
        until: Until,
        most: u32,
    ) -> Result<(Outcome, Vec<T>), Error> {
        let outcome = self.submit_until::<T>(queue, grids, until, most)?.wait(Convergence::OUTCOME_SIZE)?;
        let outcome = Convergence::parse(&outcome);
        let results = self.submit::<T>(queue, self.cells(grids, outcome.steps), |_| ())?;
        Ok((outcome, cells(&results.wait(self.config().bytes())?)))
    }

    /// Returns the outcome and the cells of such a run without blocking, as [`Compiled::run_async`] does. The steps are submitted at once, and
    /// the copy of the cells when the outcome has arrived: the grids belong to the future until it completes.
    ///
    /// # Errors
    ///
    /// See [`Compiled::run_until`].
    pub fn run_until_async<'a, T: AnyBitPattern>(
        &'a self,
        queue: &'a Queue,
        grids: Grids<'a>,
        until: Until,
        most: u32,
    ) -> impl Future<Output = Result<(Outcome, Vec<T>), Error>> + use<'a, T> {
        let submitted = self.submit_until::<T>(queue, grids, until, most);
        let outcome = submitted.map(|readback| readback.read(Convergence::OUTCOME_SIZE));
        async move {
            let outcome = Convergence::parse(&outcome?.await?);
            let results = self.submit::<T>(queue, self.cells(grids, outcome.steps), |_| ())?;
            Ok((outcome, cells(&results.read(self.config().bytes()).await?)))
        }
    }

    fn submit_steps<T>(&self, queue: &Queue, grids: Grids<'_>, steps: u32) -> Result<Readback, Error> {
        let stepper = self.bind(grids)?;
        self.submit::<T>(queue, self.cells(grids, steps), |encoder| stepper.encode(encoder, steps))
    }

    /// Submits a run and a copy of its outcome.
    fn submit_until<T>(
        &self,
        queue: &Queue,
        grids: Grids<'_>,
        until: Until,
        most: u32,
    ) -> Result<Readback, Error> {
        let run = self.bind_until(grids, until)?;
        let outcome = (run.outcome(), Convergence::OUTCOME_SIZE);
        self.submit::<T>(queue, outcome, |encoder| run.encode(encoder, 0..most))
    }

    /// Submits some work and a copy of the first bytes of a buffer, whose cells are to become `T`s.
    fn submit<T>(
        &self,
        queue: &Queue,
        source: (&Buffer, u64),
        record: impl FnOnce(&mut CommandEncoder),
    ) -> Result<Readback, Error> {
        let (element, asked) = (self.config().element, size_of::<T>());
        if element.size() != asked as u64 {
            let remedy = format!("use a type of {}", element.size());
            let message = format!("cells of {element} as a type of {asked} bytes: {remedy}");
            return Err(Error::setting("type", message));
        }
        Ok(read::submit((self.device(), queue), &[source], record)?)
    }

    /// The buffer with the cells after `steps` steps, and its size.
    fn cells<'b>(&self, grids: Grids<'b>, steps: u32) -> (&'b Buffer, u64) {
        let buffer = if steps.is_multiple_of(2) { grids.first } else { grids.second };
        (buffer, self.config().bytes())
    }
}

fn cells<T: AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
    bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
}
