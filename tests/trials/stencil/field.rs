//! The field that measurements verify stencils with: it must tell wrong results from right ones, whatever the grid is.

use halofold::stencil::{Block, Border, Borders, Grid, Jacobi, Weights};
use halofold::{Compiled, Element};
use halofold_measure::{GridCheck, PingPong};

use super::Kernel;
use super::windows::{long_grids, small};
use crate::Checked;
use crate::common::{Gpu, compile, gpu};

/// Grids smaller and larger than the tile that a field is made of, in one window and in several.
pub fn tells_right_from_wrong(kernel: Kernel, element: Element) -> Checked {
    let little = kernel.grid([13, 27], [5, 7, 9]);
    let large = kernel.grid([300, 217], [30, 40, 71]);
    for (gpu, grid, border) in [
        (gpu(), little, Border::Fixed),
        (gpu(), large, Border::Fixed),
        (gpu(), large, Border::Wrap),
        (small(), long_grids(kernel.stencil.dims)[1], Border::Reflect),
    ] {
        let config = kernel.config(element, grid).with_borders(Borders::all(border));
        let config = config.with_block(Block { rows: 4, cols: 16 });
        let config = config.with_tuning(config.tuning.with_layers_per_group(13));
        let right = compile(&gpu.device, Jacobi::new(config, kernel.stencil.dyadic))?;
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
fn check(gpu: &Gpu, field: &GridCheck, pair: &PingPong, [right, wrong]: [&Compiled<Jacobi>; 2]) -> Checked {
    let verify =
        |jacobi| -> Checked<_> { Ok(field.verify(&gpu.device, &gpu.queue, pair, &pair.stepper(jacobi)?)?) };
    if let Some(difference) = verify(right)? {
        return Err(difference.to_string().into());
    }
    let difference = verify(wrong)?.ok_or("wrong weights went unnoticed")?;
    let config = right.config();
    let Grid { planes, rows, cols } = config.grid;
    // Fixed cells stay right, and so do cells whose neighbours add up to zero twice.
    let margin = if config.borders == Borders::default() { config.stencil.radius() } else { 0 };
    let inner = |side: u32| if side == 1 { 1 } else { u64::from(side - 2 * margin) };
    let words = (inner(planes) * inner(rows) * inner(cols) * config.element.size()).div_ceil(4);
    let at = [if planes == 1 { 0 } else { margin.into() }, margin.into()];
    // Two cells in a word, or two words in a cell of which only one may differ.
    if difference.at[..2] != at || !(words / 4..=2 * words).contains(&difference.words) {
        return Err(format!("{difference}; there are {words} words").into());
    }
    Ok(())
}
