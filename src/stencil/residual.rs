//! The residual: the change between two grids. A custom operator reduces it to its maximum and its sum of
//! squares: see `shaders/stencil/residual.wgsl`. If the sum is to be exact, a second reduction computes it: see
//! `shaders/exact/operators/squares.wgsl`.

use wgpu::{Buffer, Device, Features};

use crate::element::Element;
use crate::gpu::error::Error;
use crate::gpu::kernel::Checks;
use crate::gpu::slice::Slice;
use crate::gpu::{Compiled, Launches, Options};
use crate::reduce::exact::{ExactSum, Format};
use crate::reduce::{Arity, Both, Bound, BufferRange, Monoid, Reduce, Shape};
use crate::shader::{self, rooms};
use crate::stencil::config::Config;
use crate::stencil::grids::Grids;
use crate::stencil::kernels::Kernels;

/// Offset of the exact sum of squares: element 32 of the buffer that `shaders/stencil/convergence.wgsl` reads as pairs of
/// numbers. A binding may begin there on every device.
pub(super) fn exact_at(element: Element) -> u64 {
    u64::from(32 * 2 * width(element))
}

/// Bytes of a residual.
pub(super) fn size(element: Element) -> u64 {
    exact_at(element) + 16
}

/// The type in which changes are computed and summed.
pub(super) fn real(element: Element) -> &'static str {
    if element == Element::F64 { "f64" } else { "f32" }
}

/// Bytes of that type.
pub(super) fn width(element: Element) -> u32 {
    if element == Element::F64 { 8 } else { 4 }
}

/// The operator over a grid's cells.
pub(super) fn operator(element: Element) -> Monoid {
    let text =
        format!("alias Real = {};\n{}", real(element), shader::text(&[rooms::STENCIL], "stencil/residual"));
    Monoid::custom("residual", element, Arity::Two, &text).expect("the operator is halofold's own")
}

/// The operator that adds up squares without rounding. Squares of 16-bit floats are 32-bit ones.
pub(super) fn exact_operator(element: Element) -> Monoid {
    let (numbers, format, features) = match element {
        Element::F64 => {
            ("exact/operators/squares_f64", Format::Double, Features::SHADER_F64 | Features::SHADER_INT64)
        }
        _ => ("exact/operators/squares", Format::Single, Features::empty()),
    };
    operator(element).summed(ExactSum::of(format, element, numbers).needing(features))
}

/// The number of cells that a check reads while the run continues.
pub(super) fn cells(config: &Config) -> u32 {
    config.grid.cells().try_into().unwrap_or(u32::MAX)
}

/// The reductions of checks.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Residual {
    /// The largest change and the sum of squares.
    Changes,
    /// The exact sum of squares.
    Squares,
    /// The same as a state, for slabs.
    SquaresState,
}

impl Residual {
    /// The reduction, for grids of any size.
    pub(super) fn reducer(
        self,
        device: &Device,
        element: Element,
        options: Options<'_>,
    ) -> Result<Compiled<Reduce>, Error> {
        let is_exact = self != Residual::Changes;
        let operator = if is_exact { exact_operator(element) } else { operator(element) };
        let to_states = self == Residual::SquaresState;
        let options = Options { checks: Checks::On, launches: Launches::ByAdapter, ..options };
        Compiled::new(device, Reduce::new(operator).with_to_states(to_states), &options)
    }

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
        let changes = || reducer.of(Both { first, second });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_residual_operator_exists_for_every_float_type() {
        for element in [Element::F32, Element::F64, Element::F16] {
            let operator = operator(element);
            assert_eq!(operator.acc_type(), format!("vec2<{}>", real(element)));
            assert_eq!(operator.out_size(), 2 * u64::from(width(element)));
        }
    }
}
