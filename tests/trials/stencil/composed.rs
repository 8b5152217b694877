//! Kernels that tests share: a driver takes longest to compile.
//!
//! The text of a kernel depends on its type and tuning, on a right-hand side, on whether all borders are fixed and whether rows
//! are whole vectors. Grids and kinds of borders are parameters: each kernel here meets many of them.

use halofold::Element;
use halofold::stencil::{Block, Grid};

use super::Kernel;
use super::blocked::small;
use super::run::{Run, borders, dyadic_cells, repeated};
use crate::Checked;
use crate::common::{Gpu, is_software};

/// Powers of two, of which no two in a row are equal.
const OWN_CENTRE: [f64; 4] = [0.5, 0.125, 0.0625, 0.25];

/// A compiled kernel: whether all borders are fixed, whether it has a right-hand side, and one of three shapes.
type Composition = (bool, bool, usize);

/// All compositions of a kernel; on a software adapter a sample that moves from kernel to kernel: two in 32 bits, one in other types and
/// of time-blocked kernels.
fn compositions(kernel: Kernel, element: Element) -> Vec<Composition> {
    if !is_software() {
        let of = |shape| [(true, shape == 1, shape), (false, shape != 1, shape)];
        return (0..3).flat_map(of).collect();
    }
    let nth = kernel.nth();
    let (plain, full) = ((true, false, nth % 3), (false, true, (nth + 1) % 3));
    match element {
        Element::F32 if !kernel.variant.is_blocked() => vec![plain, full],
        Element::F64 => vec![full],
        _ => vec![[plain, full][nth % 2]],
    }
}

/// Steps after which small integers are exact: one, or two and three after some turns.
pub fn exact_steps(element: Element, turn: usize) -> u32 {
    if element == Element::F16 { 1 } else { 2 + turn as u32 / 4 % 2 }
}

/// Compares steps of all compositions over some grids with the CPU's, exactly, on small integers. Borders take turns.
pub fn check(gpu: &'static Gpu, kernel: Kernel, element: Element, grids: Vec<Grid>) -> Checked {
    let [fixed, mirror, periodic, mixed, faces] = borders();
    for (is_fixed, has_rhs, shape) in compositions(kernel, element) {
        for (turn, grid) in grids.iter().enumerate() {
            let borders = if is_fixed { fixed } else { [mirror, mixed, periodic, faces][turn % 4] };
            let config = kernel.config(element, *grid).with_borders(borders);
            let config = if kernel.variant.is_blocked() {
                small(config, shape)
            } else {
                let (rows, cols) = [(8, 32), (4, 16), (3, 7)][shape];
                let config = config.with_block(Block { rows, cols });
                let tuning = config.tuning.with_layers_per_group(1 + 4 * (turn as u32 % 4));
                config.with_tuning(tuning.with_strip([1, 2, 4][shape]))
            };
            // Where there is no right-hand side the weights are the stencil's own.
            let weights = if has_rhs { repeated(OWN_CENTRE) } else { kernel.stencil.dyadic };
            let run = Run::new(gpu, config, weights, exact_steps(element, turn));
            let run = if has_rhs { run.with_rhs(dyadic_cells(*grid, 6)) } else { run };
            run.check(&dyadic_cells(*grid, 5))?;
        }
    }
    Ok(())
}
