//! The tuning of a variant, as a plain value, and the limits of its fields.

use crate::gpu::SettingError;
use crate::gpu::error::Error;
use crate::stencil::catalogue::{Mapping, Variant};
use crate::stencil::shape::Block;
use crate::stencil::stencils::Dims;

/// The most layers of one workgroup: kernels count positions with signed integers, also past the end of a grid.
const MOST_LAYERS: u32 = 32_768;

/// The most rows of one invocation. The reason is the same: a block may have 1024 invocations one below the other.
const MOST_ROWS: u32 = 32;

/// The tuning of a variant, as a plain value. Fields that a variant does not use are checked and then ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Tuning {
    /// The workgroup's shape.
    pub block: Block,
    /// Planes through which one workgroup sweeps in 3D, and rows that one of `time-pipeline` writes: 1 to 32 768.
    pub layers_per_group: u32,
    /// Rows that one invocation of `register-rows` computes, one after the other: 1 to 32.
    pub rows_per_invocation: u32,
    /// Neighbouring rows that one invocation of `plane-sums` or `time-planes` keeps: 1, 2 or 4.
    pub strip: u32,
    /// Time levels that a team keeps in registers: 1 to 16. A sweep of `time-planes` takes as many steps; one of
    /// `time-pipeline` takes R times as many with a block of R rows.
    pub levels_per_team: u32,
    /// Cells of a row that one invocation of `time-pipeline` or `time-planes` holds: 1 to 64. Multiples of four are loaded and stored as vectors.
    pub cells_per_lane: u32,
    /// Rows that `time-pipeline` takes between two barriers: 1 to 8. With 2 or more, `time-planes` takes two planes per iteration of its loops.
    pub rows_per_turn: u32,
}

impl Tuning {
    /// The default tuning of a variant: the best on an NVIDIA H200 (`docs/results/stencils.md`). For
    /// `time-pipeline` it is a tuning that fits every device; [`Config::on`](crate::stencil::Config::on)
    /// chooses a better one for the device, unless you have set it.
    pub fn of(variant: &Variant) -> Self {
        let (block, layers_per_group) = match (variant.mapping, variant.dims()) {
            (Mapping::Strips, Dims::Two) => (Block { rows: 4, cols: 64 }, 1),
            (Mapping::Cells, _) => (Block { rows: 8, cols: 32 }, 1),
            (Mapping::Pipeline, Dims::Two) => (Block { rows: 4, cols: 32 }, 512),
            (Mapping::Pipeline, Dims::Three) => (Block { rows: 4, cols: 32 }, 128),
            _ => (Block { rows: 8, cols: 32 }, 32),
        };
        Tuning {
            block,
            layers_per_group,
            rows_per_invocation: 2,
            strip: 2,
            levels_per_team: 2,
            cells_per_lane: if variant.dims() == Dims::Two { 8 } else { 4 },
            rows_per_turn: 1,
        }
    }

    /// Returns this tuning with another block.
    pub const fn with_block(self, block: Block) -> Self {
        Tuning { block, ..self }
    }

    /// Returns this tuning with another number of layers per workgroup.
    pub const fn with_layers_per_group(self, layers_per_group: u32) -> Self {
        Tuning { layers_per_group, ..self }
    }

    /// Returns this tuning with another number of rows per invocation of `register-rows`.
    pub const fn with_rows_per_invocation(self, rows_per_invocation: u32) -> Self {
        Tuning { rows_per_invocation, ..self }
    }

    /// Returns this tuning with another number of rows per invocation of `plane-sums` or `time-planes`.
    pub const fn with_strip(self, strip: u32) -> Self {
        Tuning { strip, ..self }
    }

    /// Returns this tuning with another number of levels per team of a time-blocked kernel.
    pub const fn with_levels_per_team(self, levels_per_team: u32) -> Self {
        Tuning { levels_per_team, ..self }
    }

    /// Returns this tuning with another number of cells per invocation of a time-blocked kernel.
    pub const fn with_cells_per_lane(self, cells_per_lane: u32) -> Self {
        Tuning { cells_per_lane, ..self }
    }

    /// Returns this tuning with another number of rows between two barriers of `time-pipeline`.
    pub const fn with_rows_per_turn(self, rows_per_turn: u32) -> Self {
        Tuning { rows_per_turn, ..self }
    }

    /// Checks all but the block, which depends on the device.
    pub(super) fn check(&self) -> Result<(), Error> {
        for (name, value, most) in [
            ("layers_per_group", self.layers_per_group, MOST_LAYERS),
            ("rows_per_invocation", self.rows_per_invocation, MOST_ROWS),
            ("levels_per_team", self.levels_per_team, 16),
            ("cells_per_lane", self.cells_per_lane, 64),
            ("rows_per_turn", self.rows_per_turn, 8),
        ] {
            SettingError::unless(name, value, 1..=most)?;
        }
        if [1, 2, 4].contains(&self.strip) {
            return Ok(());
        }
        Err(SettingError::new("strip", self.strip, "1, 2 or 4").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stencil::catalogue::VARIANTS;

    type Setter = fn(Tuning, u32) -> Tuning;

    #[test]
    fn every_field_is_checked() {
        for variant in VARIANTS {
            let usual = Tuning::of(variant);
            assert_eq!(usual.check(), Ok(()));
            let fields: [(&str, Setter, &[u32]); 6] = [
                ("layers_per_group", Tuning::with_layers_per_group, &[0, MOST_LAYERS + 1]),
                ("rows_per_invocation", Tuning::with_rows_per_invocation, &[0, MOST_ROWS + 1]),
                ("strip", Tuning::with_strip, &[0, 3, 7, 8]),
                ("levels_per_team", Tuning::with_levels_per_team, &[0, 17]),
                ("cells_per_lane", Tuning::with_cells_per_lane, &[0, 65]),
                ("rows_per_turn", Tuning::with_rows_per_turn, &[0, 9]),
            ];
            for (name, with, wrong) in fields {
                for value in wrong {
                    let error = with(usual, *value).check().unwrap_err();
                    assert!(error.to_string().starts_with(name), "{error}");
                }
            }
        }
    }
}
