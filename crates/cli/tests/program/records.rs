//! Records: files of `--record`, comparisons of two by `compare`, and reports of several by `report`.

use std::fs;

use crate::files::{Folder, fine, halofold, refused, typed};
use halofold::reduce::ladder::RUNGS;
use halofold_measure::{Inputs, Record, SCHEMA, Status};
use serde_json::{Value, json};

/// A row that took so long, with so much spread, in milliseconds.
fn row(rung: &str, n: u64, ms: f64, iqr: f64) -> Value {
    let gb_per_s = n as f64 * 4.0 / 1e6 / ms;
    json!({
        "preset": null, "row": null, "rung": rung, "finish": "repeat", "type": "f32", "op": "sum", "n": n,
        "workgroup_size": 256, "workgroups": 128, "dispatches": 3, "gpu_ms_median": ms, "gpu_ms_min": ms,
        "gpu_ms_iqr": iqr, "wall_ms_median": 2.0 * ms, "gb_per_s": gb_per_s, "percent_of_read_peak": gb_per_s / 10.0,
        "step_speedup": null, "cumulative_speedup": null, "published_ms": null, "published_gb_s": null,
        "status": "pass", "reason": null, "timing": "gpu", "adapter": "GPU <A> & \"B\"", "backend": "vulkan"
    })
}

/// A row of a stencil that took so long a step, in milliseconds.
fn stencil(variant: &str, block: &str, ms: f64) -> Value {
    let gcells = 8192.0 * 8192.0 / 1e6 / ms;
    json!({
        "preset": "thesis-5pt", "row": "beyond", "variant": variant, "points": 5, "grid": "8192x8192", "block": block,
        "boundary": "fixed", "type": "f32", "steps_per_pass": 1, "steps": null, "workgroups": 1024, "dispatches": 1, "gpu_ms_median": ms,
        "gpu_ms_min": ms, "gpu_ms_iqr": 0.001 * ms, "wall_ms_median": null, "gcells_per_s": gcells,
        "gb_per_s": 8.0 * gcells, "gflop_per_s": 5.0 * gcells, "percent_of_copy_peak": 8.0 * gcells / 9.0,
        "published_s": null, "published_gflop_s": null, "status": "pass", "reason": null, "timing": "gpu",
        "adapter": "GPU <A> & \"B\"", "backend": "vulkan"
    })
}

/// A record of some rows of stencils.
fn stencil_record(rows: &[Value]) -> Value {
    let mut record = record(&[]);
    record["stencils"] = json!(rows);
    record
}

/// A row of the library that took so long, in milliseconds.
fn library_row(name: &str, op: &str, shape: &str, segments: Option<u64>, ms: f64) -> Value {
    let gb_per_s = (1u64 << 30) as f64 / 1e6 / ms;
    json!({
        "name": name, "op": op, "shape": shape, "type": "f32", "n": 1 << 28, "segments": segments, "gpu_ms_median": ms,
        "gpu_ms_min": ms, "gpu_ms_iqr": 0.001 * ms, "samples": 31, "spread_percent": 0.1, "gb_per_s": gb_per_s,
        "percent_of_read_peak": gb_per_s / 10.0,
        "status": "pass", "reason": null, "timing": "gpu", "adapter": "GPU <A> & \"B\"", "backend": "vulkan"
    })
}

/// A record of some rows of the library.
fn library_record(rows: &[Value]) -> Value {
    let mut record = record(&[]);
    record["library"] = json!(rows);
    record
}

/// A record of some rows, as it was before there were stencils and the library.
fn record(rows: &[Value]) -> Value {
    json!({
        "schema": SCHEMA, "halofold": "0.1.0", "wgpu": "30.0", "date": "2026-11-21T00:50:00Z",
        "adapter": {
            "name": "GPU <A> & \"B\"", "backend": "vulkan", "driver": "driver 1.2", "device_type": "DiscreteGpu",
            "subgroup_range": [32, 32], "features": ["SUBGROUP"]
        },
        "os": "linux x86_64",
        "peak": { "read_gb_per_s": 1000.0, "copy_gb_per_s": 900.0, "bytes": 536_870_912, "timing": "gpu" },
        "rows": rows
    })
}

/// Writes a record into a folder.
fn put(folder: &Folder, name: &str, record: &Value) -> String {
    folder.write(name, record.to_string().as_bytes())
}

fn read(path: &str) -> String {
    fs::read_to_string(path).expect("the file is there")
}

/// The tables of a report on some records.
fn reported(records: &[&str]) -> String {
    fine(&[&["report"], records].concat())
}

/// The verdicts of comparing two files of rows, and the exit status.
fn compare(name: &str, a: &Value, b: &Value, options: &[&str]) -> (Vec<String>, Option<i32>) {
    let folder = Folder::new(&format!("records-{name}"));
    let (a, b) = (put(&folder, "a.json", a), put(&folder, "b.json", b));
    let output = halofold(&[&["compare", &a, &b, "--json"], options].concat());
    let lines: Vec<Value> = serde_json::from_slice(&output.stdout).expect("--json prints an array");
    let verdicts = lines.iter().map(|line| line["verdict"].as_str().expect("a verdict is a word").to_owned());
    (verdicts.collect(), output.status.code())
}

#[test]
fn ladder_leaves_records_that_can_be_read() {
    let folder = Folder::new("records-round-trip");
    let ladder = folder.path("ladder.json");
    let options = ["--n", "4096", "--rungs", "sequential,single-pass", "--samples", "3", "--json"];
    let printed = fine(&[&["ladder", "--record", &ladder], &options[..]].concat());
    let written = read(&ladder);
    let record: Record = serde_json::from_str(&written).expect("the record can be read");
    assert_eq!(record.to_json().expect("it is JSON"), written);
    assert_eq!(record.schema, SCHEMA);
    assert!(record.peak.read_gb_per_s > 0.0 && record.peak.copy_gb_per_s > 0.0);
    for row in &record.rows {
        assert_eq!((row.status, &row.machine.adapter), (Status::Pass, &record.adapter.name));
    }
    assert_eq!(record.date.len(), "2026-11-21T00:50:00Z".len(), "{}", record.date);
    // The rows are those of --json, key by key.
    let [printed, written]: [Value; 2] =
        [&printed, &written].map(|text| serde_json::from_str(text).expect("it is JSON"));
    assert_eq!(printed, written["rows"]);

    let range = folder.path("range.json");
    fine(&["ladder", "--record", &range, "--n=256..512", "--samples=3", "--rungs=sequential"]);
    let by_size: Record = serde_json::from_str(&read(&range)).expect("it can be read");
    assert_eq!(by_size.rows.len(), 2 * 3);

    assert!(fine(&["compare", &ladder, &ladder]).contains("2 same"));
}

#[test]
fn cold_inputs_and_the_clock_are_in_the_record() {
    let path = Folder::new("records-cold").path("cold.json");
    let options = ["--n=32768", "--rungs=vectorized,single-pass", "--samples=3", "--cold", "--clock=wall"];
    let printed = fine(&[&["ladder", "--record", &path], &options[..]].concat());
    assert!(printed.contains("; cold: ") && printed.contains("times: wall clock"), "{printed}");
    let record: Record = serde_json::from_str(&read(&path)).expect("the record can be read");
    assert_eq!((record.inputs, record.peak.timing.name()), (Inputs::Cold, "wall"));
    assert_eq!(record.rows.len(), 2);
    for row in &record.rows {
        assert_eq!((row.status, row.times.timing.as_deref()), (Status::Pass, Some("wall")), "{row:?}");
    }

    refused(&typed("ladder --n=100 --cold"), &["cold inputs of 400 bytes", "bytes or more"]);
}

#[test]
fn rows_of_the_library_round_trip_and_old_records_are_warm_and_have_none() {
    let rows = [
        library_row("halofold", "sum", "whole", None, 1.0),
        library_row("cub", "sum", "skewed", Some(2696), 1.5),
    ];
    let written = library_record(&rows);
    let read: Record = serde_json::from_value(written.clone()).expect("the record can be read");
    let again: Value =
        serde_json::from_str(&read.to_json().expect("it is JSON")).expect("it is JSON that can be read");
    assert_eq!(again["library"], written["library"]);
    assert_eq!((read.library[1].what.segments, read.library[0].status), (Some(2696), Status::Pass));
    let old: Record = serde_json::from_value(record(&[])).expect("the record can be read");
    assert!(old.inputs == Inputs::Warm && old.library.is_empty());
}

#[test]
fn verdicts_look_at_the_threshold_and_the_spread() {
    let a = record(&[
        row("sequential", 4096, 1.0, 0.01),
        row("tile", 4096, 1.0, 0.01),
        row("first-add", 4096, 1.0, 0.01),
        row("vectorized", 4096, 1.0, 0.3),
        row("radix-4", 4096, 1.0, 0.01),
    ]);
    let b = json!([
        row("sequential", 4096, 1.04, 0.01),
        row("tile", 4096, 0.8, 0.01),
        row("first-add", 4096, 1.0, 0.01),
        row("vectorized", 4096, 1.2, 0.3),
        row("radix-4", 8192, 1.0, 0.01),
    ]);
    let (verdicts, status) = compare("verdicts", &a, &b, &[]);
    assert_eq!(verdicts, ["same", "faster", "same", "within-iqr", "only-in-a", "only-in-b"]);
    assert_eq!(status, Some(0));
    let (verdicts, status) = compare("stricter", &a, &b, &["--threshold", "3"]);
    assert_eq!(verdicts[0], "slower");
    assert_eq!(status, Some(1));
}

#[test]
fn a_doctored_slower_row_is_a_regression() {
    let rows = [row("sequential", 4096, 1.0, 0.01), row("tile", 4096, 1.0, 0.01)];
    let mut slower = rows.clone();
    slower[1]["gpu_ms_median"] = json!(1.1);
    let (verdicts, status) = compare("doctored", &record(&rows), &record(&slower), &[]);
    assert_eq!((verdicts, status), (vec!["same".to_owned(), "slower".to_owned()], Some(1)));
    let (_, status) = compare("allowed", &record(&rows), &record(&slower), &["--threshold", "15"]);
    assert_eq!(status, Some(0));
}

#[test]
fn stencils_are_compared_by_variant_and_block() {
    let rows = [stencil("direct-global", "8x32", 1.0), stencil("direct-global", "16x16", 1.0)];
    let mut slower = rows.clone();
    slower[1]["gpu_ms_median"] = json!(1.2);
    let (verdicts, status) = compare("stencils", &stencil_record(&rows), &stencil_record(&slower), &[]);
    assert_eq!((verdicts, status), (vec!["same".to_owned(), "slower".to_owned()], Some(1)));
    // Bare rows, as --json prints them, another block, and both kinds of rows in one record.
    let mut other =
        stencil_record(&[stencil("direct-global", "8x32", 0.5), stencil("direct-global", "4x32", 1.0)]);
    other["rows"] = json!([row("tile", 4096, 1.0, 0.01)]);
    let (verdicts, status) = compare("stencils_bare", &json!(rows), &other, &[]);
    assert_eq!(verdicts, ["only-in-b", "faster", "only-in-a", "only-in-b"]);
    assert_eq!(status, Some(0));
    // A document's rows and the same without its name for them; two documents' stay apart.
    let mut bare = rows.clone();
    bare.iter_mut().for_each(|row| (row["preset"], row["row"]) = (Value::Null, Value::Null));
    let (verdicts, _) = compare("stencils_plain", &stencil_record(&bare), &stencil_record(&slower), &[]);
    assert_eq!(verdicts, ["same", "slower"]);
    bare.iter_mut().for_each(|row| row["preset"] = json!("another"));
    let (verdicts, _) = compare("stencils_apart", &stencil_record(&bare), &stencil_record(&slower), &[]);
    assert_eq!(verdicts, ["only-in-a", "only-in-a", "only-in-b", "only-in-b"]);
}

#[test]
fn the_library_is_compared_by_name_and_by_what_is_asked() {
    let rows = [
        library_row("halofold", "sum", "fixed", Some(1 << 20), 1.0),
        library_row("halofold-chained", "sum", "fixed", Some(1 << 20), 1.0),
        library_row("halofold", "sum", "fixed", Some(1 << 12), 1.0),
        library_row("halofold", "sum", "offsets", Some(1 << 20), 1.0),
    ];
    let mut other = rows.clone();
    other[1]["gpu_ms_median"] = json!(1.2);
    other[2]["segments"] = json!(1 << 13);
    other[3]["status"] = json!("fail");
    let (verdicts, status) = compare("library", &library_record(&rows), &library_record(&other), &[]);
    assert_eq!(verdicts, ["same", "slower", "only-in-a", "wrong", "only-in-b"]);
    assert_eq!(status, Some(1));
    let path = put(&Folder::new("records-library-table"), "a.json", &library_record(&rows));
    let table = fine(&["compare", &path, &path]);
    assert!(table.contains("1 048 576") && table.contains("results") && table.contains("4 same"), "{table}");
}

#[test]
fn a_wrong_result_is_a_regression_and_a_skipped_row_is_not() {
    let rows =
        [row("sequential", 4096, 1.0, 0.01), row("tile", 4096, 1.0, 0.01), row("radix-4", 4096, 1.0, 0.01)];
    let mut other = rows.clone();
    other[0]["status"] = json!("skipped");
    other[1]["timing"] = json!("wall");
    let (verdicts, status) = compare("skipped", &record(&rows), &record(&other), &[]);
    assert_eq!(verdicts, ["skipped", "skipped", "same"]);
    assert_eq!(status, Some(0));
    other[2]["status"] = json!("fail");
    let (verdicts, status) = compare("wrong", &record(&rows), &record(&other), &[]);
    assert_eq!((verdicts[2].as_str(), status), ("wrong", Some(1)));
}

#[test]
fn records_without_a_row_in_common_are_an_error() {
    let folder = Folder::new("records-errors");
    let good = put(&folder, "good.json", &record(&[row("sequential", 4096, 1.0, 0.01)]));
    let other = put(&folder, "other.json", &json!([row("tile", 4096, 1.0, 0.01)]));
    let nothing_in_common = halofold(&["compare", &good, &other]);
    assert_eq!(nothing_in_common.status.code(), Some(2));
}

#[test]
fn bars_of_a_slow_machine_with_a_moving_peak_are_by_speed() {
    let folder = Folder::new("records-slow");
    let mut rows = [row("sequential", 4096, 0.0417, 0.0), row("tile", 4096, 0.0625, 0.0)];
    rows[1]["percent_of_read_peak"] = json!(168.4);
    let mut record = record(&rows);
    record["adapter"]["name"] = json!("llvmpipe (LLVM 15.0.6, 256 bits)");
    record["wgpu"] = json!("none: WebGPU");
    let [a, svg] = [put(&folder, "a.json", &record), folder.path("a.svg")];
    assert_eq!(fine(&["report", &a, "--svg", &svg]), "");
    let svg = read(&svg);
    assert!(svg.contains(">0.393</text>") && svg.contains(">0.262</text>"), "{svg}");
    assert!(svg.contains(">GB/s of the sum of 2¹² f32 on llvmpipe (LLVM 15.0.6, 256</text>"), "{svg}");
    assert!(!svg.contains("class=\"ceiling\""), "{svg}");
    let widths = svg.split("class=\"bar\"").skip(1).map(|bar| {
        let width = bar.split("width=\"").nth(1).and_then(|rest| rest.split('"').next());
        width.and_then(|width| width.parse::<f64>().ok()).expect("a bar has a width")
    });
    assert!(widths.is_sorted(), "{svg}");
    let tables = reported(&[&a]);
    assert!(tables.contains("halofold 0.1.0, WebGPU") && !tables.contains("none: "), "{tables}");
}

#[test]
fn the_report_keeps_cold_and_warm_apart() {
    let folder = Folder::new("records-cold-report");
    let warm = record(&[row("tile", 4096, 1.0, 0.0)]);
    let mut cold = record(&[row("tile", 4096, 3.0, 0.0)]);
    cold["inputs"] = json!("cold");
    let [warm, cold] = [("warm.json", warm), ("cold.json", cold)].map(|(name, of)| put(&folder, name, &of));
    let markdown = reported(&[&warm, &cold]);
    assert!(markdown.contains("(vulkan), cold inputs"), "{markdown}");
    assert!(markdown.contains("1.000 ms") && markdown.contains("3.000 ms"), "{markdown}");
}

#[test]
fn the_report_shows_the_library_beside_another() {
    let folder = Folder::new("records-library-report");
    let mut scalar = library_row("halofold-mailbox", "sum", "scalar", None, 0.039);
    scalar["timing"] = json!("wall");
    scalar["percent_of_read_peak"] = json!(null);
    let own = library_record(&[
        library_row("halofold", "sum", "whole", None, 1.25),
        library_row("halofold", "sum", "fixed", Some(1 << 20), 1.5),
        library_row("halofold-chained", "sum", "fixed", Some(1 << 20), 1.75),
        scalar,
    ]);
    let mut wrong = library_row("cub", "sum", "whole", None, 1.0);
    wrong["status"] = json!("fail");
    let mut peer = library_record(&[
        wrong,
        library_row("cub", "sum", "computed-offsets", Some(1 << 20), 3.125),
        library_row("cub", "sum", "a new shape", None, 2.5),
    ]);
    peer["adapter"]["backend"] = json!("CUDA");
    let (a, b) = (put(&folder, "own.json", &own), put(&folder, "peer.json", &peer));
    let markdown = reported(&[&a, &b]);
    for text in [
        "Library: one result",
        "Library: segments",
        "Library: a number on the host",
        "Library: others",
        "1.500 ms · 715.8 GB/s",
        "39.00 µs",
    ] {
        assert!(markdown.contains(text), "{text}");
    }
    assert!(!markdown.contains("Library: histograms"), "no machine has any");
    let file = folder.path("single.md");
    let output = halofold(&["report", &a, "-o", &file]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("written: {file}\n"));
    assert_eq!(read(&file), reported(&[&a]));
    let line = |start: &str| {
        let found = markdown.lines().find(|line| line.starts_with(start));
        found.unwrap_or_else(|| panic!("{start} in {markdown}"))
    };
    assert_eq!(
        line("| `sum of 2²⁸ f32, whole`"),
        "| `sum of 2²⁸ f32, whole` | 1.250 ms · 859.0 GB/s | FAIL |"
    );
    assert!(
        line("| `sum of 2²⁸ f32 in segments of 256, computed-offsets`")
            .ends_with("|  |  | 3.125 ms · 343.6 GB/s |")
    );
}

#[test]
fn the_report_shows_every_rung() {
    let folder = Folder::new("records-report");
    let sizes = [1u64 << 16, 1 << 20];
    let ladder: Vec<_> = sizes
        .iter()
        .flat_map(|n| {
            RUNGS
                .iter()
                .enumerate()
                .map(|(index, rung)| row(rung.name(), *n, *n as f64 / (1e6 * (1.0 + index as f64)), 0.0))
        })
        .collect();
    let mut skipped = ladder.clone();
    for row in &mut skipped {
        row["adapter"] = json!("another");
        if row["rung"] == "subgroup-add" {
            row["status"] = json!("skipped");
            row["reason"] = json!("needs SUBGROUP, which this device lacks");
            row["gpu_ms_median"] = json!(null);
        }
    }
    let mut published = row("tile", 33_554_432, 1.5, 0.0);
    published["preset"] = json!("opencl");
    published["row"] = json!("2");
    published["published_ms"] = json!(5.239);
    skipped.push(published);
    let (a, b) = (put(&folder, "a.json", &record(&ladder)), put(&folder, "b.json", &json!(skipped)));
    let markdown = reported(&[&a, &b]);
    for rung in RUNGS {
        assert!(markdown.contains(&format!("| `{}` |", rung.name())), "{}", rung.name());
    }
    assert!(markdown.contains("**GPU &lt;A> & \"B\" (vulkan)**") && !markdown.contains("<A>"), "{markdown}");
    assert!(markdown.contains("| skipped |") && markdown.contains("read peak 1000 GB/s"), "{markdown}");
    assert!(markdown.contains("5.239 ms"), "the published figure");
    assert!(markdown.contains("kind discrete GPU; subgroups 32;"), "{markdown}");
}

#[test]
fn the_report_shows_stencils_by_block_and_joins_a_machines_records() {
    let folder = Folder::new("records-stencil-report");
    let blocks = ["8x16", "16x16", "8x32"];
    let speeds = [("direct-global", 0.3), ("dir-fusion", 0.4), ("sol-reg", 0.5), ("register-rows", 0.15)];
    let mut rows: Vec<_> = speeds
        .iter()
        .flat_map(|(variant, ms)| blocks.map(|block| stencil(variant, block, *ms * block.len() as f64)))
        .collect();
    let run = rows.iter_mut().find(|row| row["variant"] == "dir-fusion").expect("there is one");
    run["steps"] = json!(1500);
    run["wall_ms_median"] = json!(2_345.0);
    let ladder = [row("sequential", 1 << 20, 1.0, 0.0)];
    let a = put(&folder, "stencils.json", &stencil_record(&rows));
    let b = put(&folder, "ladder.json", &record(&ladder));
    let c = put(&folder, "bare.json", &json!([row("tile", 1 << 20, 2.0, 0.0)]));
    let markdown = reported(&[&a, &c, &b]);
    assert!(!markdown.contains("(vulkan) #2"), "one machine");
    for (variant, _) in speeds {
        assert!(markdown.contains(&format!("| `{variant}` |")), "{variant}");
    }
    for text in [
        "5-point stencil of f32, fixed borders",
        "GeForce GTX 295",
        "25.11",
        "16.45 s",
        "2.345 s",
        "8192 × 8192",
    ] {
        assert!(markdown.contains(text), "{text}");
    }
    assert!(markdown.contains("| `tile` | opencl 2 | 2.000 ms |"), "{markdown}");
}
