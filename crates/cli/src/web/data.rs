//! Everything that is exported, as a script: one line a piece of text, a plan, a case.

use std::fmt::Write as _;

use halofold_measure::SCHEMA;
use serde_json::json;

use super::ladder::{self, Tables};
use super::plans::Plans;
use super::texts::Texts;
use super::{LENGTHS, beside, peak, stencils};

/// The script: it declares `HALOFOLD`, which the other scripts read.
pub fn script() -> String {
    let (mut texts, mut plans, mut tables) = (Texts::default(), Plans::default(), Tables::default());
    let cases = ladder::cases(&mut texts, &mut plans, &mut tables);
    let variants = stencils::export(&mut texts);
    let peaks = peak::export(&mut texts);
    let Texts { paragraphs, pieces, modules } = texts;
    // Kernels have no tabs and no backslashes: a tab stands for four spaces, of which there are many. A string of a script may contain it.
    let quoted = |text: &String| json!(text.replace("    ", "\t")).to_string().replace("\\t", "\t");
    let listed = |numbers: &Vec<usize>| json!(numbers).to_string();
    let lists = [
        ("lengths", LENGTHS.map(|len| len.to_string()).to_vec()),
        ("sizes", ladder::sizes()),
        ("rungs", ladder::rungs()),
        ("words", beside::words()),
        ("records", beside::records()),
        ("cases", cases),
        ("tables", tables.into_iter().collect()),
        ("grid", stencils::GRID.map(|side| side.to_string()).to_vec()),
        ("variants", variants),
        ("peaks", peaks),
        ("plans", plans.0.into_iter().collect()),
        ("modules", vec![modules.iter().map(listed).collect::<Vec<_>>().join(",")]),
        ("pieces", vec![pieces.iter().map(listed).collect::<Vec<_>>().join(",")]),
        ("paragraphs", paragraphs.iter().map(quoted).collect()),
    ];
    let mut script =
        "// Written by `halofold web`: kernels and plans, as the library composes and makes them.\n\
                      \"use strict\";\nconst HALOFOLD = {\n"
            .to_owned();
    let _ = writeln!(script, "version: {},\nschema: {SCHEMA},", json!(env!("CARGO_PKG_VERSION")));
    for (name, lines) in lists {
        let _ = writeln!(script, "{name}: [\n{}\n],", lines.join(",\n"));
    }
    script + "};\n"
}
