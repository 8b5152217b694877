//! A slab bound to buffers: records its rounds and the copies of its faces.

use std::ops::Range;

use wgpu::{Buffer, BufferUsages, CommandEncoder};

use crate::gpu::Compiled;
use crate::gpu::buffers::Use;
use crate::gpu::error::Error;
use crate::stencil::grids::Grids;
use crate::stencil::jacobi::Jacobi;
use crate::stencil::passes::Binder;
use crate::stencil::slab::round::{self, Round};
use crate::stencil::slab::{Side, Slab};

impl Compiled<Jacobi> {
    /// Binds two buffers to a slab, as [`Compiled::bind`] does for a whole grid. All slabs of a grid may share one compiled stencil,
    /// which compiles a kernel when a round first needs it. If the device chooses the tuning, each dispatch gets its own height of workgroups.
    ///
    /// The buffers have [`Slab::bytes`]. A slab with neighbours also needs the usages `COPY_SRC` and `COPY_DST`.
    ///
    /// # Errors
    ///
    /// - The slab belongs to another grid: its columns, element, stencil or borders differ.
    /// - The errors of [`Compiled::bind`].
    pub fn bind_slab(&self, slab: &Slab, grids: Grids<'_>) -> Result<SlabStepper, Error> {
        let slab = slab.tuned(self.config())?;
        grids.check(slab.bytes(), slab.config.rhs, &self.device().limits())?;
        let usage = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        for (role, buffer) in [("first grid", grids.first), ("second grid", grids.second)] {
            if slab.cut != [false; 2] {
                Use::of(role, buffer.into(), 0).with_usage(usage).check()?;
            }
        }
        Ok(SlabStepper { slab, bind: Binder::new(&self.own.kernels, &self.own.weights, grids) })
    }
}

/// A slab with its buffers.
#[derive(Debug)]
pub struct SlabStepper {
    pub(super) slab: Slab,
    pub(super) bind: Binder,
}

impl SlabStepper {
    /// Returns the slab with the kernel and tuning that step it.
    pub const fn slab(&self) -> &Slab {
        &self.slab
    }

    /// Binds a round of `steps` steps. It must not exceed the steps that the last received faces allow; the faces themselves are always
    /// made for [`Slab::depth`] steps. Keep the round: it can be recorded any number of times, and recording allocates nothing.
    /// This compiles kernels that are not compiled yet.
    ///
    /// # Errors
    ///
    /// - The round has no steps, or more than the halo has layers for.
    /// - The errors of [`Config::plan`](crate::stencil::Config::plan).
    pub fn round(&self, steps: u32) -> Result<Round, Error> {
        round::bind(self, steps, false)
    }

    /// Binds a round whose last sweep is a single step, so that [`SlabStepper::check`] can find the change of that step.
    ///
    /// # Errors
    ///
    /// See [`SlabStepper::round`].
    pub fn checked_round(&self, steps: u32) -> Result<Round, Error> {
        round::bind(self, steps, true)
    }

    /// Records a copy of the first bytes of `from` into the halo on `side` of buffer `into` (0 or 1). Records nothing if there is no
    /// neighbour on that side.
    ///
    /// # Errors
    ///
    /// The buffer is too short or lacks [`BufferUsages::COPY_SRC`].
    pub fn encode_halo_in(
        &self,
        encoder: &mut CommandEncoder,
        side: Side,
        into: usize,
        from: &Buffer,
    ) -> Result<(), Error> {
        let Some(Range { start, end }) = self.slab.halo(side) else { return Ok(()) };
        Use::of("face", from.into(), end - start).with_usage(BufferUsages::COPY_SRC).check()?;
        encoder.copy_buffer_to_buffer(from, 0, &self.bind.grids[into % 2], start, end - start);
        Ok(())
    }

    /// Records a copy of the face on `side` of buffer `of` (0 or 1) to the first bytes of `to`. Records nothing if there is no neighbour on that side.
    ///
    /// # Errors
    ///
    /// The buffer is too short or lacks [`BufferUsages::COPY_DST`].
    pub fn encode_edge_out(
        &self,
        encoder: &mut CommandEncoder,
        side: Side,
        of: usize,
        to: &Buffer,
    ) -> Result<(), Error> {
        let Some(Range { start, end }) = self.slab.edge(side) else { return Ok(()) };
        Use::of("face", to.into(), end - start).with_usage(BufferUsages::COPY_DST).check()?;
        encoder.copy_buffer_to_buffer(&self.bind.grids[of % 2], start, to, 0, end - start);
        Ok(())
    }
}
