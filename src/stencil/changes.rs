//! The reductions of a check, bound to the grids of a run.

use wgpu::Buffer;

use crate::gpu::error::Error;
use crate::gpu::slice::Slice;
use crate::reduce::{Bound, BufferRange, Shape};
use crate::stencil::grids::Grids;
use crate::stencil::kernels::Kernels;
use crate::stencil::residual::{Residual, exact_at};

impl Residual {
    /// Binds the reduction to two grids. It writes to the start of `out`, or behind all other numbers if it only adds up squares. A
    /// count in a buffer sets the number of cells that it reads: 0 once the run has stopped.
    pub(super) fn prepare(
        self,
        kernels: &Kernels,
        grids: Grids<'_>,
        count: Slice<'_>,
        out: &Buffer,
    ) -> Result<Bound, Error> {
        let (reducer, config) = (kernels.residual(self)?, &kernels.config);
        let out =
            if self == Residual::Changes { out.into() } else { Slice::at(out, exact_at(config.element)) };
        let [first, second] = [grids.first, grids.second].map(|it| Slice::new(it, 0, config.bytes()));
        let changes = || reducer.of(first).with(second);
        match changes().count_buffer(count).bind(out) {
            // A reduction in two launches takes no count: it goes on reading when the run has stopped.
            Err(error) if error.is_setting("launches") => Ok(changes().bind(out)?),
            prepared => Ok(prepared?),
        }
    }
}

/// Compiles the kernels of the reduction over a grid.
pub(super) fn compile(kernels: &Kernels) -> Result<(), Error> {
    let reducer = kernels.residual(Residual::Changes)?;
    let grid = BufferRange { offset: 0, len: kernels.config.grid.cells() };
    reducer.compile(&reducer.plan(Shape::Whole, &[grid], Some(grid))?)
}
