//! `halofold replay`, by running the program over tiny grids on the adapter at hand.

use std::fs;

use crate::files::{Folder, assert_has, stdout, typed};
use crate::keys::assert_keys;
use halofold::stencil::{FIVE_POINT, Stencil, TWENTY_SEVEN_POINT};
use halofold_measure::Record;
use serde_json::Value;

/// The tables of the thesis over odd little grids.
const TINY: [(&str, &Stencil, &str); 2] =
    [("thesis-5pt", &FIVE_POINT, "37x70"), ("thesis-27pt", &TWENTY_SEVEN_POINT, "9x21x38")];

/// Block shapes: two that run everywhere, in the thesis's tables too, and one that not every adapter allows.
const BLOCKS: [&str; 3] = ["8x16", "8x32", "32x32"];

fn tiny((preset, _, grid): (&str, &Stencil, &str), options: &str) -> String {
    let blocks = BLOCKS.join(",");
    let fixed = format!("{preset} --grid {grid} --blocks {blocks} --samples=1 --steps=3");
    format!("replay {fixed} {options}")
}

/// Checks the properties of every row.
fn check(row: &serde_json::Map<String, Value>) {
    assert_keys(row.keys().map(String::as_str), "`replay`");
    let measured =
        ["gpu_ms_median", "gpu_ms_min", "gcells_per_s", "gb_per_s", "gflop_per_s", "percent_of_copy_peak"];
    match row["status"].as_str() {
        Some("pass") => {
            assert!(measured.iter().all(|key| row[*key].as_f64().is_some_and(|x| x > 0.0)), "{row:?}");
            assert!(row["gpu_ms_iqr"].is_number() && row["reason"].is_null(), "{row:?}");
            assert!(matches!(row["timing"].as_str(), Some("gpu" | "wall")), "{row:?}");
        }
        Some("skipped") => {
            assert!(row["reason"].as_str().is_some_and(|reason| reason.contains("this device")), "{row:?}");
            assert!(measured.iter().all(|key| row[*key].is_null()), "{row:?}");
        }
        _ => panic!("{row:?}"),
    }
    assert_eq!(row["steps"].is_null(), row["wall_ms_median"].is_null(), "{row:?}");
}

#[test]
fn every_variant_in_every_block_is_right_or_skipped() {
    for table in TINY {
        let (preset, stencil, grid) = table;
        let folder = Folder::new(&format!("stencil-preset-{preset}"));
        let json = folder.fine(&tiny(table, "--json --record record.json"));
        let record: Value = serde_json::from_str(&json).expect("JSON");
        let rows = record["stencils"].as_array().expect("a list of rows");
        rows.iter().filter_map(Value::as_object).for_each(check);
        let names: Vec<_> =
            rows.iter().map(|row| [&row["variant"], &row["block"]].map(|x| x.as_str().unwrap())).collect();
        // Time-blocked kernels choose their block themselves.
        let (single, blocked): (Vec<_>, Vec<_>) =
            stencil.variants().partition(|variant| !variant.name.starts_with("time-"));
        let expected: Vec<_> =
            single.iter().flat_map(|variant| BLOCKS.map(|block| [variant.name, block])).collect();
        assert_eq!(names[..expected.len()], expected);
        let beyond: Vec<_> = names[expected.len()..].iter().map(|[variant, _]| *variant).collect();
        assert_eq!(beyond, blocked.iter().map(|variant| variant.name).collect::<Vec<_>>());
        for row in rows {
            let what = [&row["preset"], &row["grid"], &row["boundary"], &row["type"]];
            assert_eq!(what, [preset, grid, "fixed", "f32"]);
            assert!(row["block"] == "32x32" || row["status"] == "pass", "{row:?}");
        }
        // The best direct, overlapped and other row, and those that the thesis prints: run for all steps.
        let run = rows.iter().filter(|row| row["steps"] == 3).count();
        assert!((3..=5).contains(&run), "{run} rows");
        assert!(rows.iter().all(|row| row["published_s"].is_null() || row["steps"] == 3));

        let written = fs::read_to_string(folder.path("record.json")).expect("the record is there");
        let read: Record = serde_json::from_str(&written).expect("the record can be read");
        assert_eq!(written, json, "--json prints the record");
        assert!(read.to_json().is_ok_and(|text| text == json) && read.rows.is_empty());
    }
}

#[test]
fn the_table_and_csv_say_the_same() {
    let variants = "direct-global,dir-fusion,sol-reg";
    let table = stdout(&typed(&tiny(TINY[0], &format!("--variants {variants}"))));
    let headings =
        ["GCell/s by block", "Table 3.1", "published GFLOP/s", "3 steps", "published (1500 steps)"];
    assert_has(&table, &[&headings[..], &["PASS"]].concat());
    let csv = stdout(&typed(&tiny(TINY[0], "--csv --variants direct-global,sol-reg")));
    let lines: Vec<_> = csv.lines().collect();
    assert_keys(lines[0].split(','), "`replay`");
    assert_eq!(lines.len(), 1 + 2 * BLOCKS.len());
    assert!(lines[1].starts_with("thesis-5pt,beyond,direct-global,5,37x70,8x16,fixed,f32,"), "{}", lines[1]);
}
