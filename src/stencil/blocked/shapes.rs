//! Shapes of time-blocked kernels that a grid may take, with measured times.
//!
//! NVIDIA's tables were measured on an H200 with one or more workgroups per core (`docs/results/stencils.md`). The others are guesses
//! that fit the default limits; `halofold tune` measures them.

use crate::stencil::blocked::machine::{Class, Machine};
use crate::stencil::config::Config;
use crate::stencil::shape::Block;
use crate::stencil::stencils::Dims;
use crate::stencil::tuning::Tuning;

/// A shape of a time-blocked kernel, with the time of its turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) teams: u32,
    pub(super) levels: u32,
    pub(super) cells: u32,
    /// Rows per turn in 2D, rows per lane in 3D.
    pub(super) rows: u32,
    /// Resident workgroups per core, with fixed borders only and with others, which take more registers.
    residents: [u64; 2],
    /// Nanoseconds per turn: `turn.0`, plus `turn.1` for each workgroup on the core.
    turn: (f64, f64),
}

const fn shape([teams, levels, cells, rows]: [u32; 4], residents: u64, turn: (f64, f64)) -> Shape {
    Shape { teams, levels, cells, rows, residents: [residents; 2], turn }
}

/// Factor by which a turn takes longer unless all borders are fixed.
const BORDERED: f64 = 1.11;

/// 5 points of 32 or 16 bits.
const NVIDIA_STAR: &[Shape] = &[
    shape([4, 2, 8, 2], 3, (420.0, 130.0)),
    shape([4, 3, 8, 2], 3, (430.0, 150.0)),
    shape([4, 4, 8, 2], 3, (407.0, 228.0)),
    Shape { residents: [3, 2], ..shape([4, 6, 8, 2], 3, (430.0, 295.0)) },
];
/// 9 points of 32 or 16 bits.
const NVIDIA_BOX: &[Shape] = &[
    shape([4, 2, 8, 2], 3, (350.0, 172.0)),
    shape([4, 3, 8, 2], 3, (324.0, 305.0)),
    shape([4, 4, 8, 2], 3, (332.0, 315.0)),
    shape([4, 6, 8, 2], 2, (500.0, 375.0)),
];
/// 64-bit cells.
const NVIDIA_WIDE: &[Shape] = &[
    shape([4, 3, 6, 2], 3, (600.0, 270.0)),
    shape([4, 4, 6, 2], 2, (700.0, 230.0)),
    shape([4, 6, 6, 2], 2, (920.0, 275.0)),
];
/// Without subgroups.
const ALONE: &[Shape] = &[shape([4, 2, 8, 1], 3, (400.0, 60.0)), shape([4, 4, 8, 1], 3, (597.0, 78.0))];
/// Not measured.
const OTHER: &[Shape] = &[shape([4, 2, 8, 2], 3, (900.0, 300.0)), shape([4, 4, 8, 2], 2, (900.0, 500.0))];
/// Software adapters, where only the amount of work counts.
const SOFTWARE: &[Shape] = &[shape([1, 4, 16, 2], 1, (0.0, 1500.0)), shape([2, 4, 16, 2], 1, (0.0, 3000.0))];
/// 27 points of 32 bits.
const NVIDIA_BOX_PLANES: &[Shape] = &[
    shape([16, 2, 4, 4], 1, (0.0, 1430.0)),
    shape([16, 3, 4, 4], 1, (0.0, 1800.0)),
    shape([8, 3, 4, 4], 2, (600.0, 560.0)),
];
/// 7 points of 32 bits.
const NVIDIA_STAR_PLANES: &[Shape] = &[
    shape([16, 2, 4, 4], 1, (0.0, 1280.0)),
    shape([16, 3, 4, 4], 1, (0.0, 1377.0)),
    shape([8, 3, 4, 4], 2, (470.0, 415.0)),
];
/// 3D, not measured: times estimated from cells and levels.
const PLANES: &[Shape] = &[
    shape([4, 1, 4, 2], 4, (300.0, 120.0)),
    shape([4, 2, 4, 2], 3, (300.0, 200.0)),
    shape([8, 2, 4, 2], 2, (300.0, 350.0)),
    shape([4, 2, 4, 4], 2, (300.0, 350.0)),
];

impl Shape {
    /// Returns the shapes that a grid may take.
    pub(super) fn offered(config: &Config, machine: &Machine) -> &'static [Shape] {
        let wide = config.element.size() == 8;
        if !config.variant.is_blocked() {
            return &[];
        }
        if config.stencil.dims == Dims::Three {
            return match (Shape::are_measured(config, machine), config.stencil.is_star()) {
                (true, true) => NVIDIA_STAR_PLANES,
                (true, false) => NVIDIA_BOX_PLANES,
                (false, _) => PLANES,
            };
        }
        match (machine.class, machine.subgroup > 0) {
            (Class::Nvidia, true) if wide => NVIDIA_WIDE,
            (Class::Nvidia, true) if config.stencil.is_star() => NVIDIA_STAR,
            (Class::Nvidia, true) => NVIDIA_BOX,
            (Class::Software, true) => SOFTWARE,
            (Class::Other, true) => OTHER,
            (_, false) => ALONE,
        }
    }

    /// Returns true if the grid's table was measured.
    pub(super) fn are_measured(config: &Config, machine: &Machine) -> bool {
        let measured =
            config.stencil.dims == Dims::Two || (machine.subgroup > 0 && config.element.size() <= 4);
        machine.class == Class::Nvidia && measured
    }

    /// Returns the workgroups that a device runs at once.
    pub(super) fn slots(&self, config: &Config, machine: &Machine) -> u64 {
        machine.cores * self.residents[usize::from(!config.is_for_fixed_borders())]
    }

    /// Returns the nanoseconds of a turn with this many workgroups per core.
    pub(super) fn turn_ns(&self, config: &Config, groups: u64) -> f64 {
        let fixed = self.turn.0 + self.turn.1 * groups as f64;
        if config.is_for_fixed_borders() { fixed } else { BORDERED * fixed }
    }

    /// Returns the steps per sweep.
    pub(super) fn steps(&self, dims: Dims) -> u32 {
        if dims == Dims::Two { self.teams * self.levels } else { self.levels }
    }

    /// Returns this shape as a tuning, with the rows or planes per workgroup.
    pub(super) fn tuning(&self, config: &Config, machine: &Machine, layers: u32) -> Tuning {
        // In 3D a tile loses cells on four sides, so it should be nearly square.
        let lanes = match config.stencil.dims {
            Dims::Two => machine.lanes(),
            Dims::Three => machine.lanes().min(16),
        };
        let in_pairs = if machine.class == Class::Nvidia { 2 } else { 1 };
        let tuning = config
            .tuning
            .with_block(Block { rows: self.teams, cols: lanes })
            .with_levels_per_team(self.levels)
            .with_cells_per_lane(self.cells)
            .with_layers_per_group(layers);
        match config.stencil.dims {
            Dims::Two => tuning.with_rows_per_turn(self.rows),
            Dims::Three => tuning.with_strip(self.rows).with_rows_per_turn(in_pairs),
        }
    }
}
