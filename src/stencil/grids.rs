//! The buffers that steps read and write.

use wgpu::{Buffer, Limits};

use crate::gpu::buffers::{self, Use};
use crate::gpu::error::Error;
use crate::gpu::slice::Slice;

/// The buffers of a grid. Each has as many cells as the grid, and [`BufferUsages::STORAGE`](wgpu::BufferUsages::STORAGE).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Grids<'a> {
    /// The buffer that the first step reads.
    pub first: &'a Buffer,
    /// The buffer that the first step writes.
    pub second: &'a Buffer,
    /// The right-hand side, which is added to each new cell: see [`Config::rhs`](crate::stencil::Config::rhs).
    pub rhs: Option<&'a Buffer>,
}

impl<'a> Grids<'a> {
    /// Two buffers, without a right-hand side.
    pub const fn new(first: &'a Buffer, second: &'a Buffer) -> Self {
        Grids { first, second, rhs: None }
    }

    /// Returns these buffers with a right-hand side. Steps only read it. Its contents may change from one submission to the next.
    pub const fn with_rhs(self, rhs: &'a Buffer) -> Self {
        Grids { rhs: Some(rhs), ..self }
    }

    /// Checks that the buffers hold a grid of `bytes` bytes, that they are distinct, and that the kernel needs them all.
    pub(super) fn check(&self, bytes: u64, rhs: bool, limits: &Limits) -> Result<(), Error> {
        if self.rhs.is_some() != rhs {
            let adds = if rhs { "adds" } else { "does not add" };
            let remedy = "`Config::with_rhs` and `Grids::with_rhs` go together";
            return Err(Error::setting("rhs", format!("the kernel {adds} a right-hand side: {remedy}")));
        }
        // Bindings are whole words.
        let needed = bytes.next_multiple_of(4);
        let used = |role, buffer| Use::of(role, Slice::new(buffer, 0, needed), needed);
        let written = [used("first grid", self.first), used("second grid", self.second)];
        let read = self.rhs.map(|rhs| used("right-hand side", rhs));
        buffers::check(read.as_slice(), &written, limits)?;
        Ok(())
    }
}
