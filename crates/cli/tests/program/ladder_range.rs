//! `halofold ladder --n FROM..TO`, by running the program over a few small sizes on the adapter at hand.

use crate::files::{assert_has, parsed, stdout, typed};
use crate::keys::check;
use serde_json::{Map, Value};

/// The names of the rows of one size, with two rungs that run everywhere.
const SERIES: [&str; 4] = ["cpu-one-thread", "cpu-all-threads", "sequential", "single-pass"];

/// A range of three sizes over them, with little else.
const TINY: &str = "ladder --rungs sequential,single-pass --n=2^8..1_024 --samples=3";

#[test]
fn the_table_has_a_line_for_every_size_twice() {
    let text = stdout(&typed(TINY));
    let starting = |start: &str| text.lines().filter(|line| line.trim_start().starts_with(start)).count();
    for size in ["256 ", "512 ", "2^10 "] {
        assert_eq!(starting(size), 2, "{size}in {text}");
    }
    assert_has(&text, &SERIES);
    assert_eq!(starting("End to end, "), 1, "{text}");
    assert!(!text.contains("skipped") && !text.contains("FAIL"), "{text}");
}

#[test]
fn json_is_one_array_of_rows_that_pass_of_every_type_that_runs_everywhere() {
    for (element, op) in [("u32", "product"), ("i32", "min"), ("f32", "max")] {
        let rows: Vec<Map<String, Value>> =
            parsed(&typed(&format!("{TINY} --json --type {element} --op {op}")));
        let named = rows.iter().map(|row| (row["n"].as_u64().unwrap(), row["rung"].as_str().unwrap()));
        let expected = [256, 512, 1024].into_iter().flat_map(|n| SERIES.map(|rung| (n, rung)));
        assert!(named.eq(expected), "{rows:?}");
        rows.iter().for_each(|row| check_row(row, [element, op]));
    }
}

fn check_row(row: &Map<String, Value>, work: [&str; 2]) {
    check(row);
    assert_eq!([&row["status"], &row["type"], &row["op"]], ["pass", work[0], work[1]], "{row:?}");
    for key in ["wall_ms_median", "gb_per_s"] {
        assert!(row[key].as_f64().unwrap() > 0.0, "{row:?}");
    }
    let on_cpu = row["rung"].as_str().unwrap().starts_with("cpu-");
    assert_eq!(row["gpu_ms_median"].is_null(), on_cpu, "{row:?}");
    if on_cpu {
        assert_eq!([&row["adapter"], &row["backend"], &row["timing"]], ["CPU", "cpu", "wall"]);
        assert!(row["finish"].is_null() && row["workgroup_size"].is_null(), "{row:?}");
    } else {
        assert!(row["finish"].is_string() && row["workgroup_size"].is_u64(), "{row:?}");
    }
}

#[test]
fn the_ladder_tries_every_tuning() {
    let options = "--n=2^16 --rungs=single-pass --workgroup=64,128 --groups=2,3 --samples=3 --json";
    let rows: Vec<Value> = parsed(&typed(&format!("ladder {options}")));
    let tuned = rows.iter().map(|row| [&row["workgroup_size"], &row["workgroups"]].map(Value::to_string));
    let want = [["64", "2"], ["64", "3"], ["128", "2"], ["128", "3"]];
    assert_eq!(tuned.collect::<Vec<_>>(), want);
    assert!(rows.iter().all(|row| row["status"] == "pass"));
}
