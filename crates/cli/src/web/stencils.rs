//! The stencil of five points, by every kernel that makes one step at a time.

use halofold::Element;
use halofold::data::Host;
use halofold::stencil::{Config, FIVE_POINT, Grid, Jacobi, Variant};
use serde_json::{Value, json};

use super::{INVOCATIONS, limits};

/// The grid of the live picture, in rows and columns.
pub const GRID: [u32; 2] = [256, 512];

/// The variants, each with the plan of a step.
pub fn variants() -> Vec<Value> {
    let host = Host { limits: limits(INVOCATIONS[0]), ..Host::default() };
    let line = |variant: &'static Variant| {
        let config = Config::new(&FIVE_POINT, variant, Element::F32, Grid::plane(GRID[0], GRID[1]));
        let data = Jacobi::new(config, FIVE_POINT.usual).data(&host).expect("the grid fits every device");
        let plan = halofold_plan::json(&data, &(Element::F32, vec![Element::F32]));
        json!({ "name": variant.name, "block": config.tuning.block.to_string(), "plan": plan })
    };
    // A pipeline of steps has no picture in between.
    FIVE_POINT.variants().filter(|variant| !variant.is_blocked()).map(line).collect()
}
