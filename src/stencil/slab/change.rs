//! The change of a round's last step, in a form that slabs can merge.

use wgpu::{Buffer, BufferUsages};

use crate::element::{Element, Value};
use crate::gpu::Compiled;
use crate::gpu::buffers;
use crate::gpu::error::Error;
use crate::gpu::slice::Slice;
use crate::reduce::exact::State;
use crate::reduce::{Both, Bound};
use crate::stencil::check::meets;
use crate::stencil::grids::Grids;
use crate::stencil::jacobi::Jacobi;
use crate::stencil::kernels::Kernels;
use crate::stencil::residual::Residual;
use crate::stencil::slab::SlabStepper;
use crate::stencil::until::Until;

/// Offset of the sum of squares: a binding may begin there on every device.
const STATE_AT: u64 = 256;

impl SlabStepper {
    /// Binds a check of the last step's changes in the slab's own layers, after a [checked round](SlabStepper::checked_round), when both
    /// buffers hold the grid one step apart. Squares are added [exactly](crate::reduce::exact), so the [`Change`] of a grid does not depend
    /// on the cut. Returns the two parts of the check, which read the own layers of both buffers, and the buffer that they write, for
    /// [`Change::parse`]. Its usages are `COPY_SRC | STORAGE`.
    ///
    /// # Errors
    ///
    /// - The additional kernels exceed a limit of the device.
    /// - The device lacks a feature: squares of `f64` take 64-bit integers.
    pub fn check(&self) -> Result<([Bound; 2], Buffer), Error> {
        let own = self.slab.own_bytes();
        let own = self.bind.grids.each_ref().map(|buffer| Slice::new(buffer, own.start, own.end - own.start));
        bind(&self.bind.kernels, own)
    }
}

impl Compiled<Jacobi> {
    /// Binds a check of a step's changes for two grids that are one step apart, as they are after the last check of a
    /// [`Convergence`](crate::stencil::Convergence). Squares are added [exactly](crate::reduce::exact). Returns what [`SlabStepper::check`] returns.
    ///
    /// # Errors
    ///
    /// Those of [`SlabStepper::check`], and if a buffer is too small or lacks a usage.
    pub fn check_change(&self, grids: [&Buffer; 2]) -> Result<([Bound; 2], Buffer), Error> {
        let bytes = self.config().bytes();
        Grids::new(grids[0], grids[1]).check(bytes, false, &self.device().limits())?;
        bind(&self.own.kernels, grids.map(|buffer| Slice::new(buffer, 0, bytes)))
    }
}

/// Binds a check of two grids or of slices of them, each of which it reads twice.
fn bind(kernels: &Kernels, grids: [Slice<'_>; 2]) -> Result<([Bound; 2], Buffer), Error> {
    let squares = kernels.residual(Residual::SquaresState)?;
    let size = STATE_AT + squares.monoid().acc_size();
    let found =
        buffers::storage(kernels.device(), "halofold::stencil::slab::change", size, BufferUsages::COPY_SRC);
    let largest = kernels.residual(Residual::Changes)?;
    let grids = Both { first: grids[0], second: grids[1] };
    let prepared = [
        largest.of(grids).bind(Slice::new(&found, 0, STATE_AT))?,
        squares.of(grids).bind(Slice::at(&found, STATE_AT))?,
    ];
    Ok((prepared, found))
}

/// The change that a step made to one slab or several.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    max: f64,
    squares: State,
}

impl Change {
    /// Decodes the bytes that a check writes. `None` if they are malformed.
    pub fn parse(bytes: &[u8]) -> Option<Change> {
        let squares = State::from_bytes(bytes.get(STATE_AT as usize..)?).ok()?;
        let max = match squares.sum() {
            Value::F64(_) => bytemuck::pod_read_unaligned(&bytes[..8]),
            _ => f64::from(bytemuck::pod_read_unaligned::<f32>(&bytes[..4])),
        };
        Some(Change { max, squares })
    }

    /// Makes a change from its parts, sent by another process.
    pub const fn from_parts(max: f64, squares: State) -> Change {
        Change { max, squares }
    }

    /// Merges the change of another slab of the same grid. The order does not matter.
    ///
    /// # Panics
    ///
    /// If the grids have different element types.
    pub fn merge(&mut self, other: &Change) {
        self.max = self.max.max(other.max);
        self.squares.merge(&other.squares).expect("slabs of a grid are of one element");
    }

    /// Returns the largest change of a cell. NaN if any change is NaN.
    pub fn max(&self) -> f64 {
        let squares = self.squared();
        if squares.is_nan() { squares } else { self.max }
    }

    /// Returns the square root of the sum of squared changes. NaN if any change is NaN.
    pub fn l2(&self) -> f64 {
        let squares = self.squared();
        if squares.is_nan() { squares } else { squares.sqrt().max(self.max) }
    }

    /// Returns the largest change that is a number. Merge it by the maximum.
    pub const fn largest(&self) -> f64 {
        self.max
    }

    /// Returns the exact sum of squared changes. Merge it by adding its words.
    pub const fn squares(&self) -> &State {
        &self.squares
    }

    /// Returns true if the changes are small enough, by the rule of [`Compiled::bind_until`](crate::Compiled::bind_until) on the GPU.
    pub fn meets(&self, until: &Until) -> bool {
        let is_double = matches!(self.squares.sum(), Value::F64(_));
        let element = if is_double { Element::F64 } else { Element::F32 };
        meets(until, element, self.max, self.squared())
    }

    fn squared(&self) -> f64 {
        self.squares.sum().as_f64()
    }
}
