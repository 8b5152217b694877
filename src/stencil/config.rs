//! The configuration of a stencil.

use crate::element::Element;
use crate::stencil::catalogue::{Mapping, Variant};
use crate::stencil::shape::{Block, Border, Borders, Grid};
use crate::stencil::stencils::{Dims, Stencil, Weights};
use crate::stencil::tuning::Tuning;

/// The configuration of a stencil: grid, borders, kernel and tuning.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Config {
    /// The stencil.
    pub stencil: &'static Stencil,
    /// The kernel. It must support the stencil.
    pub variant: &'static Variant,
    /// The element type: a float.
    pub element: Element,
    /// The grid.
    pub grid: Grid,
    /// The borders on its sides.
    pub borders: Borders,
    /// The tuning.
    pub tuning: Tuning,
    /// True if all weights are equal, so that the kernel multiplies only once. This is for stencils with a
    /// centre and one class around it. [`Jacobi`](crate::stencil::Jacobi) sets it from the weights.
    pub one_weight: bool,
    /// True if a right-hand side is added: `u' = Σ w·u + f`. Steps then take a third buffer, [`Grids::with_rhs`](crate::stencil::Grids::with_rhs).
    pub rhs: bool,
    /// True if lanes exchange cells by subgroup operations, where the kernel supports this.
    /// [`Jacobi`](crate::stencil::Jacobi) sets it from the device.
    pub subgroups: bool,
    /// What the device may still choose.
    pub(super) open: Open,
    /// For a slab: the kinds of borders that the kernel must support in other slabs of the grid. One kernel steps all slabs, because two
    /// kernels may differ in the last bits.
    pub(super) kinds: Kinds,
    /// For a slab: the border constants of the whole grid, by side.
    pub(super) constants: [f64; 6],
}

/// The kinds of borders that a kernel supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kinds {
    /// Fixed borders only.
    Fixed,
    /// Fixed, reflect and wrap, which all kernels support.
    Usual,
    /// All borders, which only the general kernels support.
    All,
}

/// What a device may still choose in a configuration: see [`Config::on`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// Nothing.
    Nothing,
    /// The height of workgroups in dispatches over some of the layers.
    Layers,
    /// The tuning of a time-blocked kernel.
    Tuning,
    /// The kernel and its tuning.
    Kernel,
}

impl Config {
    /// Makes a configuration with fixed borders, the variant's default tuning, the stencil's default weights, and no right-hand side.
    pub fn new(stencil: &'static Stencil, variant: &'static Variant, element: Element, grid: Grid) -> Self {
        let config = Config {
            stencil,
            variant,
            element,
            grid,
            borders: Borders::default(),
            tuning: Tuning::of(variant),
            one_weight: false,
            rhs: false,
            subgroups: false,
            open: if variant.is_blocked() { Open::Tuning } else { Open::Nothing },
            kinds: Kinds::Fixed,
            constants: [0.0; 6],
        };
        config.weighed(stencil.usual)
    }

    /// Makes a configuration whose kernel is chosen on the device that runs it: the one expected to be the fastest.
    pub fn fastest(stencil: &'static Stencil, element: Element, grid: Grid) -> Self {
        Config { open: Open::Kernel, ..Config::new(stencil, stencil.fastest(), element, grid) }
    }

    /// Returns this configuration with other borders. An open kernel becomes the general one if no other supports these borders.
    pub fn with_borders(self, borders: Borders) -> Self {
        let config = Config { borders, ..self };
        if config.open == Open::Kernel && config.kinds() == Kinds::All {
            let variant = config.stencil.general();
            return Config { variant, tuning: Tuning::of(variant), open: Open::Nothing, ..config };
        }
        config
    }

    /// Returns this configuration with another tuning.
    pub const fn with_tuning(self, tuning: Tuning) -> Self {
        Config { tuning, open: Open::Nothing, ..self }
    }

    /// Returns this configuration with another block.
    pub const fn with_block(self, block: Block) -> Self {
        self.with_tuning(self.tuning.with_block(block))
    }

    /// Returns this configuration with the kernel of `chosen`, if its own is still open. Each device keeps its choice of tuning.
    /// So several devices step slabs of one grid by the same kernel, and the bits agree.
    pub fn with_kernel_of(self, chosen: &Config) -> Self {
        if self.open != Open::Kernel {
            return self;
        }
        let variant = chosen.variant;
        let open = if variant.is_blocked() { Open::Tuning } else { Open::Nothing };
        Config { variant, tuning: Tuning::of(variant), open, ..self }
    }

    /// Returns this configuration for these weights.
    pub(super) fn weighed(self, weights: Weights) -> Self {
        // A time-blocked kernel has fixed operations, which do not depend on the weights.
        let one_weight = !self.variant.is_blocked() && self.stencil.is_star() && weights[0] == weights[1];
        Config { one_weight, ..self }
    }

    /// Returns this configuration with a right-hand side.
    pub const fn with_rhs(self) -> Self {
        Config { rhs: true, ..self }
    }

    /// Returns the size of one buffer in bytes.
    pub fn bytes(&self) -> u64 {
        self.grid.cells().saturating_mul(self.element.size())
    }

    /// Returns the bytes that a step must move per cell: one read, one write, and one read of the right-hand side if there is one.
    pub fn bytes_moved(&self) -> u64 {
        (2 + u64::from(self.rhs)) * self.element.size()
    }

    /// Returns floating-point operations per cell, as the thesis counts them: 5 and 30 for its stencils.
    pub fn flops(&self) -> u32 {
        let products = if self.one_weight { 1 } else { self.stencil.classes.len() as u32 };
        self.stencil.points() - 1 + products + u32::from(self.rhs)
    }

    /// Returns the number of neighbouring cells that one invocation of a strip computes.
    pub(super) fn lanes(&self) -> u32 {
        let packs = match self.variant.mapping {
            Mapping::Strips => true,
            Mapping::Pipeline => self.tuning.cells_per_lane.is_multiple_of(4),
            _ => false,
        };
        if packs && self.grid.cols.is_multiple_of(4) { 4 } else { 1 }
    }

    /// Returns the rows and columns of cells that one block computes.
    pub(super) fn coverage(&self) -> (u32, u32) {
        let Tuning { block: Block { rows, cols }, rows_per_invocation, strip, .. } = self.tuning;
        match (self.variant.mapping, self.variant.dims()) {
            // The blocks of a time-blocked kernel depend on the steps per sweep: see `blocked`.
            (Mapping::Cells | Mapping::Direct | Mapping::Pipeline, _) => (rows, cols),
            (Mapping::Overlapped, _) => (rows - 2, cols - 2),
            (Mapping::Strips, Dims::Two) => {
                (rows.saturating_mul(rows_per_invocation), cols.saturating_mul(self.lanes()))
            }
            (Mapping::Strips, Dims::Three) => (rows.saturating_mul(strip), cols.saturating_mul(self.lanes())),
        }
    }

    /// Returns the kinds of borders that the kernel must support.
    pub(super) fn kinds(&self) -> Kinds {
        let sides = self.borders.pairs().into_iter().take(self.stencil.dims.count());
        let kinds = sides.flat_map(|(low, high)| [low, high]).map(|side| match side {
            Border::Fixed => Kinds::Fixed,
            Border::Reflect | Border::Wrap => Kinds::Usual,
            Border::Mirror | Border::Constant(_) => Kinds::All,
        });
        kinds.fold(self.kinds, Kinds::max)
    }

    /// Returns the border constants, by side.
    pub(super) fn constants(&self) -> [f64; 6] {
        let mut constants = self.constants;
        let sides = self.borders.pairs().into_iter().flat_map(|(low, high)| [low, high]);
        for (constant, side) in constants.iter_mut().zip(sides) {
            if let Border::Constant(value) = side {
                *constant = value;
            }
        }
        constants
    }

    /// Returns true if the kernel supports fixed borders only.
    pub(super) fn is_for_fixed_borders(&self) -> bool {
        self.kinds() == Kinds::Fixed
    }
}
