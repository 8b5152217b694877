//! The stencil of five points, by every kernel that makes one step at a time.

use halofold::Element;
use halofold::stencil::{Config, FIVE_POINT, Grid, Mapping, Variant};
use halofold::wgpu::Features;
use serde_json::json;

use super::texts::Texts;
use super::{INVOCATIONS, limits};

/// The grid of the live picture, in rows and columns.
pub const GRID: [u32; 2] = [256, 512];

/// One line a variant: its kernel, and its launch over the grid.
pub fn export(texts: &mut Texts) -> Vec<String> {
    // A pipeline of steps has no picture in between.
    let single = FIVE_POINT.variants().filter(|variant| variant.mapping != Mapping::Pipeline);
    single.map(|variant| line(variant, texts)).collect()
}

fn line(variant: &'static Variant, texts: &mut Texts) -> String {
    let config = Config::new(&FIVE_POINT, variant, Element::F32, Grid::plane(GRID[0], GRID[1]));
    let plan = config.plan(Features::empty(), &limits(INVOCATIONS[0])).expect("the grid fits every device");
    let pass = plan.passes.first().expect("the grid fits one binding");
    json!({
        "name": variant.name,
        "module": texts.add(&config.compose()),
        "constants": config.overrides(),
        "block": config.tuning.block.to_string(),
        "weights": FIVE_POINT.usual.of_classes(&FIVE_POINT),
        "launch": { "grid": pass.grid, "params": pass.words() },
    })
    .to_string()
}
