//! The thesis's two tables as data: `documents.json`.

use std::sync::LazyLock;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use halofold::Element;
use halofold::stencil::{Block, Config, Grid, Mapping, Stencil, Variant};
use serde::Deserialize;

use crate::presets::by_name;
use crate::row::{Row, StencilWork};

/// The name of rows that the thesis does not have.
pub const BEYOND: &str = "beyond";

pub const SMALLEST: Block = Block { rows: 4, cols: 16 };

pub const MACHINE: &str = "GeForce GTX 295 (the thesis)";

#[derive(Debug, Deserialize)]
pub struct Preset {
    pub name: String,
    pub title: String,
    pub table: String,
    #[serde(deserialize_with = "by_name")]
    pub stencil: &'static Stencil,
    pub thesis: Size,
    pub software: Size,
    pub note: String,
    pub published: Vec<Published>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Size {
    #[serde(deserialize_with = "by_name")]
    pub grid: Grid,
    pub steps: u32,
}

#[derive(Debug, Deserialize)]
pub struct Published {
    pub variant: String,
    #[serde(deserialize_with = "by_name")]
    pub block: Block,
    pub seconds: f64,
    /// 10^9 operations a second, as the thesis counts.
    pub gflop_s: f64,
}

pub static PRESETS: LazyLock<Vec<Preset>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("documents.json")).expect("the tables are as the types say")
});

pub fn parser() -> impl TypedValueParser<Value = &'static Preset> {
    let named = |name: String| PRESETS.iter().find(|preset| preset.name == name);
    PossibleValuesParser::new(PRESETS.iter().map(|preset| preset.name.as_str()))
        .map(move |name| named(name).expect("clap has checked the name"))
}

/// The thesis's block shapes: 16 or 32 columns, every fourth number of rows. The thesis does not name those that it omits.
pub fn blocks() -> Vec<Block> {
    let shapes =
        [16, 32].into_iter().flat_map(|cols| (4..=32).step_by(4).map(move |rows| Block { rows, cols }));
    shapes.collect()
}

/// Returns the variant that needs the fewest features and limits.
pub fn plainest(stencil: &'static Stencil) -> &'static Variant {
    let plainest = stencil.variants().find(|variant| variant.mapping == Mapping::Cells);
    plainest.expect("every stencil has a variant without workgroup memory")
}

impl Preset {
    /// Returns the operations per cell, as the thesis counts them.
    pub fn flops(&self) -> f64 {
        let Size { grid, .. } = self.thesis;
        Config::new(self.stencil, plainest(self.stencil), Element::F32, grid).flops().into()
    }

    /// Adds the thesis's figures for a configuration to its row.
    pub fn label(&self, config: &Config, mut row: Row<StencilWork>) -> Row<StencilWork> {
        let document = config.variant.document;
        let name = if document.is_empty() { BEYOND } else { document };
        row.what.preset = Some(self.name.clone());
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
