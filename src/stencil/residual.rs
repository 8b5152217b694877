//! The residual: the change between two grids. A custom operator reduces it to its maximum and its sum of
//! squares: see `shaders/stencil/residual.wgsl`. If the sum is to be exact, a second reduction computes it: see
//! `shaders/exact/operators/squares.wgsl`.

use wgpu::{Buffer, Features};

use crate::element::Element;
use crate::gpu::error::Error;
use crate::gpu::slice::Slice;
use crate::reduce::exact::{ExactSum, Format};
use crate::reduce::{Arity, Both, Bound, Monoid, Reduce};
use crate::shader::{self, rooms};
use crate::stencil::grids::Grids;
use crate::stencil::kernels::Kernels;

/// Offset of the exact sum of squares: element 32 of the buffer that `shaders/stencil/convergence.wgsl` reads as pairs of
/// numbers. A binding may begin there on every device.
pub(super) fn exact_at(element: Element) -> u64 {
    32 * 2 * real(element).size()
}

/// The type in which changes are computed and summed.
pub(super) fn real(element: Element) -> Element {
    if element == Element::F64 { Element::F64 } else { Element::F32 }
}

/// The operator over a grid's cells.
fn operator(element: Element) -> Monoid {
    let text =
        format!("alias Real = {};\n{}", real(element), shader::text(&[rooms::STENCIL], "stencil/residual"));
    Monoid::custom("residual", element, Arity::Two, &text).expect("the operator is halofold's own")
}

/// The operator that adds up squares without rounding. Squares of 16-bit floats are 32-bit ones.
pub(super) fn exact_operator(element: Element) -> Monoid {
    let (numbers, format, features) = match element {
        Element::F64 => ("squares_f64", Format::Double, Features::SHADER_F64 | Features::SHADER_INT64),
        _ => ("squares", Format::Single, Features::empty()),
    };
    operator(element).summed(ExactSum::of(format, element, numbers).needing(features))
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
    pub(super) fn of(self, element: Element) -> Reduce {
        let is_exact = self != Residual::Changes;
        let operator = if is_exact { exact_operator(element) } else { operator(element) };
        Reduce::new(operator).with_to_states(self == Residual::SquaresState)
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
        let config = &kernels.config;
        let out =
            if self == Residual::Changes { out.into() } else { Slice::at(out, exact_at(config.element)) };
        let [first, second] = [grids.first, grids.second].map(|it| Slice::new(it, 0, config.bytes()));
        kernels.residual(self)?.of(Both { first, second }).count_buffer(count).bind(out)
    }
}
