//! Everything that is exported, as a script.

use halofold_measure::SCHEMA;
use serde_json::json;

use super::{LENGTHS, beside, ladder, parts, peak, stencils};

/// The script: it declares `HALOFOLD`, which the other scripts read.
pub fn script() -> String {
    let all = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "schema": SCHEMA,
        "lengths": LENGTHS,
        "sizes": ladder::SIZES,
        "rungs": ladder::rungs(),
        "words": beside::words(),
        "records": beside::records(),
        "cases": ladder::cases(),
        "grid": stencils::GRID,
        "variants": stencils::variants(),
        "peaks": peak::peaks(),
    });
    let (statements, value) = parts::script(&all);
    let head = "// Written by `halofold web`: plans, as halofold's library makes them. Equal parts of plans exist once.\n\"use strict\";\n";
    format!("{head}const HALOFOLD = (() => {{\n{statements}return {value};\n}})();\n")
}
