//! Keys of `--json` and columns of `--csv`, for all commands that print rows.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// The page that says which keys an output has.
const PAGE: &str = include_str!("../../../../../docs/json.md");

/// Asserts that a row has all keys that the page's section begins with, the first column of its table or its first list, and no key that the
/// section does not name.
#[track_caller]
pub fn assert_keys<'a>(row: impl Iterator<Item = &'a str>, section: &str) {
    let (_, rest) = PAGE.split_once(&format!("\n## {section}\n")).expect("the page has the section");
    let text = rest.split("\n## ").next().unwrap_or_default();
    let words = |text: &'static str| text.split('`').skip(1).step_by(2).flat_map(str::split_whitespace);
    let table: Vec<_> =
        text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).collect();
    let list = text.split('`').nth(1).unwrap_or_default();
    let needed: BTreeSet<_> = match table.is_empty() {
        true => list.split_whitespace().collect(),
        false => table.into_iter().flat_map(words).collect(),
    };
    let known: BTreeSet<_> = words(text).chain(needed.iter().copied()).collect();
    let row: BTreeSet<_> = row.collect();
    assert!(needed.len() > 5 && needed.is_subset(&row), "{section}: {needed:?} should be in {row:?}");
    assert!(row.is_subset(&known), "{section}: docs/json.md names {known:?}, and not all of {row:?}");
}

/// Asserts it of an object.
#[track_caller]
pub fn assert_documented(row: &Value, section: &str) {
    assert_keys(row.as_object().expect("an object").keys().map(String::as_str), section);
}

/// Asserts the properties of every row of a reduction that passed.
pub fn check(row: &Map<String, Value>) {
    assert_keys(row.keys().map(String::as_str), "`ladder`");
    match row["status"].as_str() {
        Some("pass") => {
            let cpu = row["backend"] == "cpu";
            let time = if cpu { "wall_ms_median" } else { "gpu_ms_median" };
            assert!(row[time].as_f64().is_some_and(|ms| ms > 0.0), "{row:?}");
            assert!(row["gb_per_s"].as_f64().is_some_and(|rate| rate >= 0.0), "{row:?}");
            assert!(matches!(row["timing"].as_str(), Some("gpu" | "wall")), "{row:?}");
            assert_eq!(row["dispatches"].is_null(), cpu);
        }
        Some("skipped") => {
            assert!(row["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{row:?}");
            assert!(row["gpu_ms_median"].is_null(), "{row:?}");
        }
        _ => panic!("{row:?}"),
    }
}
