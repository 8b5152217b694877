//! The stencil of five points, by every kernel that makes one step of it at a time.

use halofold::Element;
use halofold::stencil::{Config, FIVE_POINT, Grid, Mapping, Variant};
use halofold::wgpu::Features;
use serde_json::{Value, json};

use super::texts::Texts;
use super::{INVOCATIONS, limits};

/// The grids that the page steps and measures: square, these long.
const SIDES: [u32; 4] = [64, 256, 1024, 4096];

/// The grid of the live picture, in rows and columns.
const PICTURE: [u32; 2] = [256, 512];

fn grids() -> impl Iterator<Item = Grid> {
    let [rows, cols] = PICTURE;
    SIDES.into_iter().map(|side| Grid::plane(side, side)).chain([Grid::plane(rows, cols)])
}

pub fn sizes() -> Vec<String> {
    grids().map(|grid| json!([grid.rows, grid.cols]).to_string()).collect()
}

/// One line a variant: its kernel, and its launch over each grid.
pub fn export(texts: &mut Texts) -> Vec<String> {
    // A pipeline of steps has no picture, and no single step to verify, in between.
    let single = FIVE_POINT.variants().filter(|variant| variant.mapping != Mapping::Pipeline);
    single.map(|variant| line(variant, texts)).collect()
}

fn line(variant: &'static Variant, texts: &mut Texts) -> String {
    let config = |grid| Config::new(&FIVE_POINT, variant, Element::F32, grid);
    let first = config(Grid::plane(SIDES[0], SIDES[0]));
    let wgsl = first.compose();
    let launch = |grid| -> Value {
        let config = config(grid);
        assert!(config.compose() == wgsl, "{}: one text serves all grids", variant.name);
        let plan =
            config.plan(Features::empty(), &limits(INVOCATIONS[0])).expect("every grid fits every device");
        let pass = plan.passes.first().expect("a grid fits one binding");
        json!({ "grid": pass.grid, "params": pass.words() })
    };
    json!({
        "name": variant.name,
        "document": variant.document,
        "module": texts.add(&wgsl),
        "constants": first.overrides(),
        "block": first.tuning.block.to_string(),
        "flops": first.flops(),
        "weights": FIVE_POINT.usual.of_classes(&FIVE_POINT),
        "launches": grids().map(launch).collect::<Vec<_>>(),
    })
    .to_string()
}
