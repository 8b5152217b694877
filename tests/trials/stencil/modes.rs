//! Modes, which only shrink.

use std::f64::consts::PI;

use halofold::Element;
use halofold::stencil::{Border, Borders};

use super::Kernel;
use super::run::{Run, places};
use crate::Checked;
use crate::common::{gpu, in_turn};

/// Waves along the columns, the rows and the planes.
const FREQUENCIES: [f64; 3] = [3.0, 2.0, 1.0];

/// Products of sines (fixed), cosines (mirrored) or Fourier modes (periodic) only shrink, by a known factor a step.
pub fn shrink(kernel: Kernel, element: Element) -> Checked {
    let stencil = kernel.stencil;
    let directions = stencil.dims.count();
    let grid = kernel.grid([20, 36], [12, 20, 36]);
    let lengths = [grid.cols, grid.rows, grid.planes].map(f64::from);
    // Sines are zero at the outermost cells only.
    let kinds = [Border::Fixed, Border::Reflect, Border::Wrap];
    let kinds = kinds.into_iter().filter(|border| *border != Border::Fixed || stencil.radius() == 1);
    for border in in_turn(kinds, 3, kernel.nth()) {
        // The angle by which the mode turns from one cell to the next.
        let angle = |d: usize| match border {
            Border::Fixed => FREQUENCIES[d] * PI / (lengths[d] - 1.0),
            Border::Reflect => FREQUENCIES[d] * PI / lengths[d],
            _ => 2.0 * FREQUENCIES[d] * PI / lengths[d],
        };
        let mode = |d: usize, i: f64| match border {
            Border::Fixed => (angle(d) * i).sin(),
            Border::Reflect => (angle(d) * (i + 0.5)).cos(),
            _ => (angle(d) * i).cos(),
        };
        let part = |offset: &[i32; 3]| -> f64 {
            (0..directions).map(|d| (angle(d) * f64::from(offset[d])).cos()).product()
        };
        let classes = stencil.classes.iter().enumerate();
        let factors = classes.map(|(nth, cells)| stencil.usual[nth] * cells.iter().map(part).sum::<f64>());
        let (steps, shrink) = (7, factors.sum::<f64>());
        let cells = places(grid).map(|at| (0..directions).map(|d| mode(d, at[d].into())).product());
        let cells: Vec<f64> = cells.collect();
        let config = kernel.quick_config(element, grid, Borders::all(border));
        let mut run = Run::new(gpu(), config, stencil.usual, steps as u32);
        let mut factor = shrink.powi(steps);
        if border != Border::Fixed {
            // With some of the mode on the right-hand side it shrinks to a multiple of that.
            let added = 0.25;
            run = run.with_rhs(cells.iter().map(|cell| added * cell).collect());
            factor += added * (1.0 - shrink.powi(steps)) / (1.0 - shrink);
        }
        let expected: Vec<_> = cells.iter().map(|cell| cell * factor).collect();
        run.near(&run.on_gpu(&cells)?, &expected, 3e-6)?;
    }
    Ok(())
}
