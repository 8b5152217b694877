//! The field that measurements verify stencils with: it must tell wrong results from right ones, whatever the grid is.

use halofold::Element;
use halofold::stencil::{Block, Border, Borders, Dims, Grid, Jacobi, Weights};
use halofold_measure::{GridCheck, PingPong};
use libtest_mimic::{Failed, Trial};

use super::Kernel;
use super::windows::{long_grids, small};
use crate::common::{Gpu, gpu};

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for kernel in Kernel::named("direct-global") {
        for element in [Element::F32, Element::F64, Element::F16] {
            trials.push(super::trial(kernel, element, "field", tells_right_from_wrong));
        }
    }
    trials
}

/// Grids smaller and larger than the tile that a field is made of, in one window and in several.
fn tells_right_from_wrong(kernel: Kernel, element: Element) -> Result<(), Failed> {
    let (little, large) = match kernel.stencil.dims {
        Dims::Three => (Grid { planes: 5, rows: 7, cols: 9 }, Grid { planes: 30, rows: 40, cols: 71 }),
        _ => (Grid::plane(13, 27), Grid::plane(300, 217)),
    };
    for (gpu, grid, border) in [
        (gpu(), little, Border::Fixed),
        (gpu(), large, Border::Fixed),
        (gpu(), large, Border::Wrap),
        (small(), long_grids(kernel.stencil.dims)[1], Border::Reflect),
    ] {
        let block = Block { rows: 4, cols: 16 };
        let config = kernel.config(element, grid).with_borders(Borders::all(border));
        let config = config.with_tuning(config.tuning.with_block(block).with_planes_per_group(13));
        let right = Jacobi::new(&gpu.device, config, kernel.stencil.dyadic)?;
        let wrong = right.reweighted(Weights::new(&[0.5; 4]))?;
        let field = GridCheck::new(&gpu.device, &gpu.queue, &config)?;
        let pair = field.pair(&gpu.device)?;
        for pair in [&pair, &pair.reversed()] {
            check(gpu, &field, pair, [&right, &wrong])
                .map_err(|message| format!("{grid}, {border:?}: {message}"))?;
        }
    }
    Ok(())
}

/// Right weights pass, wrong ones do not.
fn check(gpu: &Gpu, field: &GridCheck, pair: &PingPong, [right, wrong]: [&Jacobi; 2]) -> Result<(), String> {
    let verify = |jacobi: &Jacobi| {
        let stepper = pair.stepper(jacobi).map_err(|error| error.to_string())?;
        field.verify(&gpu.device, &gpu.queue, pair, &stepper).map_err(|error| error.to_string())
    };
    if let Some(difference) = verify(right)? {
        return Err(difference.to_string());
    }
    let difference = verify(wrong)?.ok_or("wrong weights went unnoticed")?;
    let config = right.config();
    let Grid { planes, rows, cols } = config.grid;
    // Fixed cells stay right, and so do cells whose neighbours add up to zero twice.
    let fixed = config.borders.are_fixed();
    let radius = config.stencil.radius();
    let inner = |side: u32| u64::from(if fixed { side - 2 * radius } else { side });
    let deep = if planes == 1 { 1 } else { inner(planes) };
    let words = (deep * inner(rows) * inner(cols) * config.element.size()).div_ceil(4);
    let first = if fixed { u64::from(radius) } else { 0 };
    let at = [if planes == 1 { 0 } else { first }, first];
    // Two cells in a word, or two words in a cell of which only one may differ.
    let least = words / 4;
    if difference.at[..2] != at || difference.words < least || difference.words > 2 * words {
        return Err(format!("{difference}; there are {words} words"));
    }
    Ok(())
}
