//! Keys of `--json` and columns of `--csv`, for all commands that print rows.

use serde_json::{Map, Value};

/// Asserts that a row has the documented keys, and no others.
pub fn assert_keys<'a>(row: impl Iterator<Item = &'a str>, keys: &str) {
    let mut names: Vec<_> = row.collect();
    let mut keys: Vec<_> = keys.split_whitespace().collect();
    names.sort_unstable();
    keys.sort_unstable();
    assert_eq!(names, keys);
}

/// The keys of a reduction's row.
pub const KEYS: &str = "
    preset row rung finish type op n workgroup_size workgroups dispatches
    gpu_ms_median gpu_ms_min gpu_ms_iqr samples spread_percent wall_ms_median
    gb_per_s percent_of_read_peak step_speedup cumulative_speedup published_ms published_gb_s
    status reason timing adapter backend";

/// The keys of a stencil's row.
pub const STENCIL_KEYS: &str = "
    preset row variant points grid block boundary type steps_per_pass steps workgroups dispatches
    gpu_ms_median gpu_ms_min gpu_ms_iqr samples spread_percent wall_ms_median
    gcells_per_s gb_per_s gflop_per_s percent_of_copy_peak published_s published_gflop_s
    status reason timing adapter backend";

/// Asserts the properties of every row of a reduction that passed.
pub fn check(row: &Map<String, Value>) {
    assert_keys(row.keys().map(String::as_str), KEYS);
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
