//! Time-blocked kernels: many steps per sweep over memory; see `shaders/stencil/2d/time_pipeline.wgsl` and
//! `3d/time_planes.wgsl`.
//!
//! A run of many steps is cut into sweeps, and each sweep into windows and workgroups (`plan`). The kernel is generated for its
//! number of levels (`shaders/stencil/layer`, `levels`). A layer is a row in 2D, a plane in 3D.

mod choose;
mod machine;
mod plan;
mod samples;
mod shapes;

use wgpu::Limits;

use crate::gpu::SettingError;
use crate::gpu::error::Error;
use crate::shader::Composer;
use crate::stencil::config::Config;
use crate::stencil::cuts::Cuts;
use crate::stencil::shape::Block;
use crate::stencil::stencils::Dims;
use crate::stencil::tuning::Tuning;
pub(super) use choose::{choose, fit};
pub(super) use machine::Machine;
pub(super) use plan::workgroups;
pub(super) use samples::{choose_by, trials};

/// The most columns of a grid. Kernels compute with up to twice as many in an `i32`.
const MOST_COLS: u32 = (1 << 30) - 1;

impl Config {
    /// Returns the most steps per sweep over memory: 1, except for time-blocked kernels.
    pub fn steps_per_pass(&self) -> u32 {
        match (self.variant.is_blocked(), self.stencil.dims) {
            (false, _) => 1,
            (true, Dims::Two) => self.tuning.levels_per_team * self.tuning.block.rows,
            (true, Dims::Three) => self.tuning.levels_per_team,
        }
    }

    /// Returns this configuration for sweeps of at most `steps` steps, which is 1 to [`Config::steps_per_pass`]. In 2D all teams of a
    /// workgroup take the same number of steps, so some counts are rounded down: 7 steps become 6 if there are fewer than 7 teams and
    /// fewer than 7 levels per team. A kernel of single steps stays as it is.
    pub fn with_steps_per_pass(&self, steps: u32) -> Config {
        if !self.variant.is_blocked() {
            return *self;
        }
        let tuning = self.tuning;
        self.with_tuning(match self.stencil.dims {
            Dims::Two => {
                let shared = |teams| (teams * tuning.levels_per_team.min(steps / teams), teams);
                let most = (1..=tuning.block.rows.min(steps)).map(shared).max();
                let (steps, teams) = most.unwrap_or((1, 1));
                let block = Block { rows: teams, ..tuning.block };
                tuning.with_block(block).with_levels_per_team(steps / teams)
            }
            Dims::Three => tuning.with_levels_per_team(steps),
        })
    }

    /// Returns true if a sweep can make exactly `steps` steps.
    fn is_possible(&self, steps: u32) -> bool {
        self.with_steps_per_pass(steps).steps_per_pass() == steps
    }

    /// Returns the most steps per sweep that fit the device's workgroups, windows and bindings, at most [`Config::steps_per_pass`].
    pub(super) fn deepest(&self, limits: &Limits) -> u32 {
        let fits = |steps: &u32| self.is_possible(*steps) && plan::fits(self, limits, *steps);
        (1..=self.steps_per_pass()).rev().find(fits).unwrap_or(1)
    }

    /// Returns how runs are cut into sweeps on this device.
    pub(super) fn cuts(&self, limits: &Limits) -> Cuts {
        Cuts::new(self.deepest(limits), |steps| self.is_possible(steps))
    }

    /// Rows per lane that other lanes read through workgroup memory, in 3D: the first and the last, or all without shuffles.
    fn exchanged(&self) -> u32 {
        if self.subgroups { self.tuning.strip.min(2) } else { self.tuning.strip }
    }
}

/// Checks what a time-blocked kernel requires beyond other kernels.
pub(super) fn check(config: &Config) -> Result<(), Error> {
    let Config { grid, tuning, .. } = *config;
    SettingError::unless("grid.cols", grid.cols, 1..=MOST_COLS)?;
    let [across, down] = plan::tiles(config, 1);
    for (tiles, name, value, lines, other) in [
        (across, "cells_per_lane", tuning.cells_per_lane, "a team loads columns", ""),
        (down, "strip", tuning.strip, "a workgroup loads rows", "; or use a block of more rows"),
    ] {
        let allowed =
            format!("more: {lines} on either side that it does not write, and would write none{other}");
        tiles.ok_or_else(|| SettingError::new(name, value, allowed))?;
    }
    Ok(())
}

/// Cells in workgroup memory: the ring in 2D, and the cells that lanes exchange.
pub(super) fn workgroup_cells(config: &Config) -> u64 {
    let Tuning { block, levels_per_team, cells_per_lane, rows_per_turn, .. } = config.tuning;
    let lanes = u64::from(block.rows) * u64::from(block.cols);
    if config.stencil.dims == Dims::Three {
        let exchanged = u64::from(config.exchanged()) * u64::from(cells_per_lane);
        return 2 * u64::from(levels_per_team) * exchanged * lanes;
    }
    let rows = 2 * u64::from(rows_per_turn) * lanes;
    let exchanged = if config.subgroups { 0 } else { 2 * u64::from((levels_per_team - 1).max(1)) };
    rows * (u64::from(cells_per_lane) + exchanged)
}

/// Adds the constants and files that the kernel imports.
pub(super) fn pieces(config: &Config, composer: Composer) -> Composer {
    let Tuning { block, levels_per_team, cells_per_lane, rows_per_turn, strip, .. } = config.tuning;
    let (packs, star) = (cells_per_lane / config.lanes(), config.stencil.is_star());
    let composer = composer
        .define("subgroups", config.subgroups)
        .define("bits_64", config.element.size() == 8)
        .define("star", star)
        .number("PACKS", packs)
        .number("LEVELS", levels_per_team)
        .number("TURN", rows_per_turn);
    let (composer, [layer, shares, streams, exchange, fixed_cells]) = match config.stencil.dims {
        Dims::Two => (
            composer.number("ALL", packs).number("FETCHES", (rows_per_turn * packs).div_ceil(block.rows)),
            ["row", "box9", "rows", "ring", "in_sums"],
        ),
        Dims::Three => (
            composer.number("ALL", packs * strip).number("EXCHANGED", config.exchanged()),
            ["plane", "box27", "planes", "rows", if star { "in_beside" } else { "in_sums" }],
        ),
    };
    composer
        .choose("stencil/layer", layer)
        .choose("stencil/levels", layer)
        .choose("stencil/shares", if star { "star" } else { shares })
        .choose("stencil/streams", streams)
        .choose("stencil/exchange", exchange)
        .choose("stencil/fixed_cells", fixed_cells)
}
