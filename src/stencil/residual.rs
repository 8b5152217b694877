//! The change between two grids, reduced to its maximum and its sum of squares by the library's own reduction; see
//! `shaders/stencil/residual.wgsl`.

use wgpu::{Buffer, Device};

use crate::element::Element;
use crate::pipeline;
use crate::reduce::{Arity, Extent, Monoid, Options, Prepared, ReduceError, Reducer, Shape};
use crate::slice::Slice;
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::grids::Grids;

/// The type that changes are computed and summed in.
pub(super) fn real(element: Element) -> &'static str {
    if element == Element::F64 { "f64" } else { "f32" }
}

/// Bytes of that type.
pub(super) fn width(element: Element) -> u32 {
    if element == Element::F64 { 8 } else { 4 }
}

/// The operator over a grid's cells.
fn operator(element: Element) -> Monoid {
    let text = format!("alias Real = {};\n{}", real(element), crate::shader::text("stencil/residual"));
    Monoid::custom("residual", element, Arity::Two, &text).expect("the operator is halofold's own")
}

/// How many cells are looked at while a run goes on.
pub(super) fn cells(config: &Config) -> u32 {
    config.grid.cells().try_into().unwrap_or(u32::MAX)
}

/// The reduction, for grids of any size.
pub(super) fn reducer(
    device: &Device,
    element: Element,
    options: pipeline::Options<'_>,
) -> Result<Reducer, ReduceError> {
    let options = Options { cache: options.cache, ..Options::default() };
    Reducer::with_options(device, operator(element), options)
}

/// Compiles what the reduction over a grid launches.
pub(super) fn compile(reducer: &Reducer, config: &Config) -> Result<(), ReduceError> {
    let grid = Extent { offset: 0, len: config.grid.cells() };
    reducer.compile(Shape::Whole, &[grid], Some(grid))
}

/// The reduction bound to two grids, which leaves the largest change and the sum of squares at the start of `out`. How many cells it
/// looks at stands in a buffer: none once a run is over.
pub(super) fn prepare(
    reducer: &Reducer,
    config: &Config,
    grids: Grids<'_>,
    count: Slice<'_>,
    out: &Buffer,
) -> Result<Prepared, StencilError> {
    let [first, second] = [grids.first, grids.second].map(|buffer| Slice::new(buffer, 0, config.bytes()));
    Ok(reducer.of(first).and(second).first(count).into(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_is_one_of_any_float() {
        for element in [Element::F32, Element::F64, Element::F16] {
            let operator = operator(element);
            assert_eq!(operator.acc_type(), format!("vec2<{}>", real(element)));
            assert_eq!(operator.out_size(), 2 * u64::from(width(element)));
        }
    }
}
