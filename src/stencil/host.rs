//! Steps for tools and tests: these functions record, submit and wait.

use bytemuck::AnyBitPattern;
use wgpu::{Buffer, CommandEncoder, Queue};

use crate::read::{self, ReadError};
use crate::stencil::convergence::Convergence;
use crate::stencil::error::StencilError;
use crate::stencil::grids::Grids;
use crate::stencil::jacobi::Jacobi;
use crate::stencil::until::{Outcome, Until};

impl Jacobi {
    /// Records `steps` steps, submits, waits, and returns the cells. This is for tools and tests; an
    /// application should use [`Jacobi::prepare`]. In a browser, which cannot wait, it returns an error.
    ///
    /// `T` must be as wide as a cell. The grids also need [`wgpu::BufferUsages::COPY_SRC`].
    ///
    /// # Errors
    ///
    /// - The errors of [`Jacobi::prepare`].
    /// - `T` has another width than a cell.
    /// - The device is lost.
    pub fn wait<T: AnyBitPattern>(
        &self,
        queue: &Queue,
        grids: Grids<'_>,
        steps: u32,
    ) -> Result<Vec<T>, StencilError> {
        let stepper = self.prepare(grids)?;
        let result = if steps.is_multiple_of(2) { grids.first } else { grids.second };
        self.cells(queue, result, |encoder| stepper.encode(encoder, steps))
    }

    /// Records up to `steps` steps, which stop once a check finds the residual below epsilon. Submits, waits,
    /// and returns the outcome and the cells.
    ///
    /// # Errors
    ///
    /// See [`Jacobi::prepare_until`] and [`Jacobi::wait`].
    pub fn wait_until<T: AnyBitPattern>(
        &self,
        queue: &Queue,
        grids: Grids<'_>,
        until: Until,
        most: u32,
    ) -> Result<(Outcome, Vec<T>), StencilError> {
        let run = self.prepare_until(grids, until)?;
        let size = Convergence::OUTCOME_SIZE;
        let outcome = self.bytes(queue, run.outcome(), size, |encoder| run.encode(encoder, 0..most))?;
        let outcome = Convergence::parse(&outcome);
        let result = if outcome.in_first() { grids.first } else { grids.second };
        Ok((outcome, self.cells(queue, result, |_| ())?))
    }

    /// The cells of a grid after some work.
    fn cells<T: AnyBitPattern>(
        &self,
        queue: &Queue,
        grid: &Buffer,
        record: impl FnOnce(&mut CommandEncoder),
    ) -> Result<Vec<T>, StencilError> {
        let (element, asked) = (self.config().element, size_of::<T>());
        if element.size() != asked as u64 {
            return Err(StencilError::CellType { element, asked });
        }
        let bytes = self.bytes(queue, grid, self.config().bytes(), record)?;
        Ok(bytes.chunks_exact(asked).map(bytemuck::pod_read_unaligned).collect())
    }

    /// The first bytes of a buffer after some work.
    fn bytes(
        &self,
        queue: &Queue,
        buffer: &Buffer,
        size: u64,
        record: impl FnOnce(&mut CommandEncoder),
    ) -> Result<Vec<u8>, ReadError> {
        let readback = read::submit_copy((self.device(), queue), (buffer, size), |encoder| {
            record(encoder);
            Ok::<_, ReadError>(())
        })?;
        readback.wait(size)
    }
}
