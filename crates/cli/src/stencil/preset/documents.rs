//! The thesis's two tables as data.

use halofold::Element;
use halofold::stencil::{Block, Config, FIVE_POINT, Grid, Mapping, Stencil, TWENTY_SEVEN_POINT, Variant};

use crate::row::{Row, StencilWork};

/// The name of rows that the thesis does not have.
pub const BEYOND: &str = "beyond";

/// The machine that the thesis measured on.
pub const MACHINE: &str = "GeForce GTX 295 (the thesis)";

/// A table of the thesis with the figures that lead to it.
#[derive(Debug)]
pub struct Preset {
    /// Its name on the command line.
    pub name: &'static str,
    pub title: &'static str,
    pub table: &'static str,
    pub stencil: &'static Stencil,
    pub thesis: Size,
    pub software: Size,
    pub note: &'static str,
    pub published: &'static [Published],
}

#[derive(Clone, Copy, Debug)]
pub struct Size {
    pub grid: Grid,
    pub steps: u32,
}

#[derive(Debug)]
pub struct Published {
    pub variant: &'static str,
    pub block: Block,
    pub seconds: f64,
    /// 10^9 operations a second, as the thesis counts.
    pub gflop_s: f64,
}

const fn published(variant: &'static str, rows: u32, cols: u32, seconds: f64, gflop_s: f64) -> Published {
    Published { variant, block: Block { rows, cols }, seconds, gflop_s }
}

pub static PRESETS: [Preset; 2] = [
    Preset {
        name: "thesis-5pt",
        title: "thesis-5pt: Stencils on GPUs, section 3.1: 5 points in 2D, figures 3.1 to 3.3 and table 3.1",
        table: "3.1",
        stencil: &FIVE_POINT,
        thesis: Size { grid: Grid::plane(8192, 8192), steps: 1500 },
        software: Size { grid: Grid::plane(256, 256), steps: 20 },
        note: "Published: 1500 steps over 256 MB of f32 on a GeForce GTX 295. Operations are counted as there, 5 a cell; its \
               figures are of 66.8 million cells, 0.4 % fewer than 8192 x 8192.",
        published: &[
            published("dir-fusion", 8, 16, 19.97, 25.11),
            published("sol-reg", 16, 16, 16.45, 30.47),
        ],
    },
    Preset {
        name: "thesis-27pt",
        title: "thesis-27pt: Stencils on GPUs, section 3.2: 27 points in 3D, figures 3.4 to 3.6 and table 3.2",
        table: "3.2",
        stencil: &TWENTY_SEVEN_POINT,
        thesis: Size { grid: Grid { planes: 256, rows: 512, cols: 512 }, steps: 750 },
        software: Size { grid: Grid { planes: 10, rows: 64, cols: 64 }, steps: 20 },
        note: "Published: 750 steps over 256 MB of f32 on a GeForce GTX 295. Operations are counted as there, 30 a cell; its \
               figures are of 64.5 million cells, 3.9 % fewer than 256 x 512 x 512. A workgroup walks 32 planes here, all of them there.",
        published: &[
            published("dir-unroll2-cse", 8, 16, 15.50, 93.65),
            published("sol-unroll4-cse", 8, 32, 8.51, 170.48),
            published("sol-unroll2-cse", 12, 32, 8.54, 170.04),
        ],
    },
];

pub fn named(name: &str) -> Result<&'static Preset, String> {
    PRESETS.iter().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<_> = PRESETS.iter().map(|preset| preset.name).collect();
        format!("unknown preset; the presets are {}", names.join(", "))
    })
}

/// The smallest block shape of the thesis.
pub const SMALLEST: Block = Block { rows: 4, cols: 16 };

/// The thesis's block shapes: 16 and 32 columns, and every fourth number of rows. It does not say which it left out.
pub fn blocks() -> Vec<Block> {
    let shapes =
        [16, 32].into_iter().flat_map(|cols| (4..=32).step_by(4).map(move |rows| Block { rows, cols }));
    shapes.collect()
}

/// The variant that needs the fewest features and limits.
pub fn plainest(stencil: &'static Stencil) -> &'static Variant {
    let plainest = stencil.variants().find(|variant| variant.mapping == Mapping::Cells);
    plainest.expect("every stencil has a variant without workgroup memory")
}

impl Preset {
    /// Operations of one cell, as the thesis counts them.
    pub fn flops(&self) -> f64 {
        let Size { grid, .. } = self.thesis;
        Config::new(self.stencil, plainest(self.stencil), Element::F32, grid).flops().into()
    }

    /// Adds the thesis's figures for a configuration to its row.
    pub fn label(&self, config: &Config, mut row: Row<StencilWork>) -> Row<StencilWork> {
        let document = config.variant.document;
        let name = if document.is_empty() { BEYOND } else { document };
        row.what.preset = Some(self.name.to_owned());
        row.what.row = Some(name.to_owned());
        let printed = |published: &&Published| {
            published.variant == config.variant.name && published.block == config.tuning.block
        };
        let published = self.published.iter().find(printed);
        row.figures.published_s = published.map(|published| published.seconds);
        row.figures.published_gflop_s = published.map(|published| published.gflop_s);
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_rows_are_swept() {
        for preset in &PRESETS {
            for row in preset.published {
                assert!(blocks().contains(&row.block), "{}", row.block);
                assert!(Variant::named(preset.stencil, row.variant).is_ok(), "{}", row.variant);
                let cells = row.gflop_s * 1e9 * row.seconds / preset.flops() / f64::from(preset.thesis.steps);
                let grid = preset.thesis.grid.cells() as f64;
                assert!((0.95 * grid..grid).contains(&cells), "{}: {cells} cells", row.variant);
            }
        }
    }
}
