//! Rows of stencils.

use halofold::stencil::{Borders, Config, Grid};
use serde::{Deserialize, Serialize};

use super::{Row, Times, What, significant};
use crate::{Summary, Timing};

/// A measured stencil.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StencilWork {
    /// The preset, if any.
    pub preset: Option<String>,
    /// The document's name for it.
    pub row: Option<String>,
    /// The variant.
    pub variant: String,
    /// Number of cells that a new cell depends on, such as 5 or 27.
    pub points: u32,
    /// Rows and columns, `8192x8192`, or planes, rows and columns, `256x512x512`.
    pub grid: String,
    /// Rows and columns of the workgroup: `8x32`.
    pub block: String,
    /// The border: one word for all sides, or six for west, east, north, south, near and far.
    pub boundary: String,
    /// Element type.
    #[serde(rename = "type")]
    pub element: String,
}

/// Figures of a stencil. Times are per step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StencilFigures {
    /// The most steps per sweep over memory.
    #[serde(default)]
    pub steps_per_pass: Option<u32>,
    /// Number of steps in `wall_ms_median`, if they ran at once.
    pub steps: Option<u32>,
    /// Workgroups of all dispatches of one step.
    pub workgroups: Option<u64>,
    /// Dispatches of one step.
    pub dispatches: Option<u64>,
    /// Time of all `steps` steps, from submission to completion.
    pub wall_ms_median: Option<f64>,
    /// Cells of the grid over the median time, in 10^9 per second.
    pub gcells_per_s: Option<f64>,
    /// Bytes of one read and one write per cell over the median time, in 10^9 per second.
    pub gb_per_s: Option<f64>,
    /// Floating-point operations over the median time, as the document counts them, in 10^9 per second.
    pub gflop_per_s: Option<f64>,
    /// `gb_per_s` in percent of the copy peak.
    pub percent_of_copy_peak: Option<f64>,
    /// The document's seconds, for its own grid and number of steps.
    pub published_s: Option<f64>,
    /// The document's operations per second.
    pub published_gflop_s: Option<f64>,
}

impl What for StencilWork {
    type Figures = StencilFigures;

    fn plain(&self) -> Self {
        StencilWork { preset: None, row: None, ..self.clone() }
    }
}

impl Row<StencilWork> {
    /// Makes the row of a configuration before it has run: skipped, without a reason.
    pub fn blank(config: &Config, info: &wgpu::AdapterInfo) -> Self {
        let what = StencilWork {
            preset: None,
            row: None,
            variant: config.variant.name.to_owned(),
            points: config.stencil.points(),
            grid: sides(config.grid),
            block: config.tuning.block.to_string(),
            boundary: boundary(config.borders),
            element: config.element.name().to_owned(),
        };
        let mut row = Row::new(what, info);
        row.figures.steps_per_pass = Some(config.steps_per_pass());
        row
    }

    /// Writes the times of one step into the row.
    pub fn set_times(&mut self, config: &Config, ms: Summary, timing: Timing, copy_peak_gb_per_s: f64) {
        let gcells = config.grid.cells() as f64 / 1e6 / ms.median;
        let gb = gcells * config.bytes_moved() as f64;
        self.times = Times::new(ms, timing);
        self.figures.gcells_per_s = Some(significant(gcells));
        self.figures.gb_per_s = Some(significant(gb));
        self.figures.gflop_per_s = Some(significant(gcells * f64::from(config.flops())));
        self.figures.percent_of_copy_peak = Some(significant(100.0 * gb / copy_peak_gb_per_s));
    }
}

/// Formats a grid as on the command line: `37x43` or `11x37x43`. [`Grid`] parses it.
pub fn sides(grid: Grid) -> String {
    match grid.planes {
        1 => format!("{}x{}", grid.rows, grid.cols),
        planes => format!("{planes}x{}x{}", grid.rows, grid.cols),
    }
}

/// Formats the borders in words.
fn boundary(borders: Borders) -> String {
    if borders == Borders::all(borders.west) {
        return borders.west.to_string();
    }
    let words = borders.pairs().map(|(low, high)| format!("{low},{high}"));
    words.join(",")
}
