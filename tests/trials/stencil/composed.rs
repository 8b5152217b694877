//! Kernels that tests share: a driver takes longest to compile.
//!
//! The text of a kernel depends on its type and tuning, on a right-hand side, on whether all borders are fixed and whether rows
//! are whole vectors. Grids and kinds of borders are parameters: each kernel here meets many of them.

use halofold::Element;
use halofold::stencil::{Block, Border, Borders, Config, Grid};

use super::Kernel;
use super::run::{Run, borders, dyadic_cells, repeated};
use crate::common::{Gpu, is_software};

/// Powers of two, of which no two in a row are equal.
const OWN_CENTRE: [f64; 4] = [0.5, 0.125, 0.0625, 0.25];

/// One compiled kernel.
#[derive(Clone, Copy)]
pub struct Composition {
    fixed: bool,
    rhs: bool,
    shape: usize,
}

impl Composition {
    /// All compositions of a kernel. On a software adapter a sample whose shapes move from kernel to kernel: two in 32 bits, with all parts
    /// and with none, and one in other types and of time-blocked kernels, which take seconds each.
    pub fn of(kernel: Kernel, element: Element) -> Vec<Composition> {
        let nth = kernel.nth();
        let all = [(true, false), (false, true)].into_iter().enumerate();
        let all = all.map(|(at, (fixed, rhs))| Composition { fixed, rhs, shape: (nth + at) % 3 });
        match element {
            _ if !is_software() => {
                let shapes = (0..3).flat_map(|shape| [(true, shape), (false, shape)]);
                shapes
                    .map(|(fixed, shape)| Composition { fixed, rhs: fixed == (shape == 1), shape })
                    .collect()
            }
            Element::F32 if !kernel.variant.is_blocked() => all.collect(),
            Element::F64 => all.skip(1).take(1).collect(),
            _ => all.skip(nth % 2).take(1).collect(),
        }
    }

    /// A configuration; on a software adapter of a time-blocked kernel in the small shapes of these compositions, which many trials share:
    /// default tunings take it seconds to compile.
    pub fn of_blocked(kernel: Kernel, config: Config) -> Config {
        let shape = kernel.nth() + usize::from(!config.borders.are_fixed());
        if kernel.variant.is_blocked() && is_software() {
            super::blocked::small(config, shape)
        } else {
            config
        }
    }

    /// The configuration over a grid, with the borders of this composition whose turn it is.
    pub fn config(self, kernel: Kernel, element: Element, grid: Grid, turn: usize) -> Config {
        let [fixed, mirror, periodic, mixed] = borders();
        let faces = Borders { south: Border::Reflect, far: Border::Reflect, ..Borders::default() };
        let borders = if self.fixed { fixed } else { [mirror, mixed, periodic, faces][turn % 4] };
        let config = kernel.config(element, grid).with_borders(borders);
        if kernel.variant.is_blocked() {
            return super::blocked::small(config, self.shape);
        }
        let (rows, cols) = [(8, 32), (4, 16), (3, 7)][self.shape];
        let config = config.with_block(Block { rows, cols });
        let tuning = config.tuning.with_planes_per_group(1 + 4 * (turn as u32 % 4));
        config.with_tuning(tuning.with_strip([1, 2, 4][self.shape]))
    }

    /// A run on small integers, which is exact. Where there is no right-hand side the weights are the stencil's own.
    pub fn run(self, gpu: &'static Gpu, config: Config, steps: u32) -> Run {
        let weights = if self.rhs { repeated(OWN_CENTRE) } else { config.stencil.dyadic };
        let run = Run::new(gpu, config, weights, steps);
        if self.rhs { run.with_rhs(dyadic_cells(config.grid, 6)) } else { run }
    }
}
