//! Time-blocked kernels: many steps for one trip through memory; see `shaders/stencil/2d/time_pipeline.wgsl`.
//!
//! A run of many steps is cut into passes (`passes`), each pass into windows and workgroups (`plan`), and its kernel is written
//! out for so many levels (`unroll`). What is recorded is in `run`.

mod choose;
mod passes;
mod plan;
mod run;
mod unroll;

use wgpu::Limits;

use crate::shader::Composer;
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::shape::Block;
use crate::stencil::stencils::FIVE_POINT;
use crate::stencil::tuning::Tuning;
pub(super) use choose::{Machine, choose};
pub(super) use plan::plan;
pub(super) use run::{Passes, Prepared};
use unroll::Unrolled;

/// The most columns of a grid: kernels count twice as many, with a sign.
const MOST_COLS: u32 = 1 << 30;

impl Config {
    /// The most steps that one pass through memory makes: 1, but for time-blocked kernels.
    pub fn steps_per_pass(&self) -> u32 {
        if self.variant.is_blocked() { self.tuning.levels_per_team * self.tuning.block.rows } else { 1 }
    }

    /// The same for kernels that make fewer steps: as few teams as that takes, and as few levels as they need.
    pub(super) fn with_steps(&self, steps: u32) -> Config {
        let teams = steps.div_ceil(self.tuning.levels_per_team);
        let block = Block { rows: teams, ..self.tuning.block };
        self.with_tuning(self.tuning.with_block(block).with_levels_per_team(steps.div_ceil(teams)))
    }

    /// The most steps of a pass that strips, windows and bindings of a device have room for: no more than
    /// [`Config::steps_per_pass`].
    pub(super) fn deepest(&self, limits: &Limits) -> u32 {
        let fits = |steps: &u32| plan::fits(self, limits, *steps);
        (1..=self.steps_per_pass()).rev().find(fits).unwrap_or(1)
    }

    fn unrolled(&self) -> Unrolled {
        let Tuning { block, levels_per_team, cells_per_lane, rows_per_turn, .. } = self.tuning;
        Unrolled {
            packs: cells_per_lane / self.lanes(),
            rows: rows_per_turn,
            levels: levels_per_team,
            teams: block.rows,
            subgroups: self.subgroups,
            rhs: self.rhs,
        }
    }
}

/// What stands in the way of a time-blocked kernel, besides what does of any.
pub(super) fn check(config: &Config, limits: &Limits) -> Result<(), StencilError> {
    let Config { grid, tuning, .. } = *config;
    if grid.cols >= MOST_COLS {
        let (needed, limit) = (u64::from(grid.cols), u64::from(MOST_COLS));
        return Err(StencilError::GridTooLarge { grid, needed, limit });
    }
    if !plan::strips_fit(config, 1) {
        return Err(StencilError::Tuning {
            name: "cells_per_lane",
            value: tuning.cells_per_lane,
            allowed: "so many that the lanes of a team hold more than the rim of their strip",
        });
    }
    plan::check_windows(config, limits)
}

/// Cells of workgroup memory: the ring, and without subgroups what lanes show each other.
pub(super) fn workgroup_cells(config: &Config) -> u64 {
    let Tuning { block, levels_per_team, cells_per_lane, rows_per_turn, .. } = config.tuning;
    let lanes = u64::from(block.rows) * u64::from(block.cols);
    let rows = 2 * u64::from(rows_per_turn) * lanes;
    let shown = if config.subgroups { 0 } else { 2 * u64::from((levels_per_team - 1).max(1)) };
    rows * (u64::from(cells_per_lane) + shown)
}

/// What the kernel's text asks for.
pub(super) fn pieces(config: &Config, composer: Composer) -> Composer {
    let unrolled = config.unrolled();
    let shares = match config.stencil {
        stencil if stencil == &FIVE_POINT => "stencil/shares/star5",
        _ => "stencil/shares/box9",
    };
    composer
        .define("subgroups", config.subgroups)
        .define("bits_64", config.element.size() == 8)
        .choose("shares", shares)
        .provide("lane_row", unrolled.lane_row())
        .provide("team_levels", unrolled.team_levels())
}
