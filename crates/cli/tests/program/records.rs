//! Records: files of `--record`, comparisons of two by `compare`, and reports of several by `report`.

use std::fs;

use crate::files::{Folder, assert_has, fine, halofold, parsed};
use halofold::ladder::RUNGS;
use halofold_measure::{Inputs, Record, SCHEMA, Status};
use serde_json::{Value, json};

/// The keys of a row that took so long, in milliseconds, with those of its kind.
fn measured(ms: f64, of_its_kind: Value) -> Value {
    let mut row = json!({
        "dispatches": 3, "gpu_ms_median": ms, "gpu_ms_min": ms, "gpu_ms_iqr": 0.001 * ms, "wall_ms_median": null,
        "status": "pass", "reason": null, "timing": "gpu", "adapter": "GPU <A> & \"B\"", "backend": "vulkan"
    });
    let Value::Object(keys) = of_its_kind else { panic!("{of_its_kind} is no object") };
    row.as_object_mut().expect("an object").extend(keys);
    row
}

/// A row of a rung.
fn row(rung: &str, n: u64, ms: f64) -> Value {
    let gb_per_s = n as f64 * 4.0 / 1e6 / ms;
    let work = json!({
        "preset": null, "row": null, "rung": rung, "finish": "repeat", "type": "f32", "op": "sum", "n": n,
        "workgroup_size": 256, "workgroups": 128, "wall_ms_median": 2.0 * ms, "gb_per_s": gb_per_s,
        "percent_of_read_peak": gb_per_s / 10.0, "step_speedup": null, "cumulative_speedup": null,
        "published_ms": null, "published_gb_s": null
    });
    measured(ms, work)
}

/// A row of a stencil, whose time is that of a step.
fn stencil(variant: &str, block: &str, ms: f64) -> Value {
    let gcells = 8192.0 * 8192.0 / 1e6 / ms;
    let work = json!({
        "preset": "thesis-5pt", "row": "beyond", "variant": variant, "points": 5, "grid": "8192x8192", "block": block,
        "boundary": "fixed", "type": "f32", "steps_per_pass": 1, "steps": null, "workgroups": 1024, "dispatches": 1,
        "gcells_per_s": gcells, "gb_per_s": 8.0 * gcells, "gflop_per_s": 5.0 * gcells,
        "percent_of_copy_peak": 8.0 * gcells / 9.0, "published_s": null, "published_gflop_s": null
    });
    measured(ms, work)
}

/// A row of the library.
fn library_row(name: &str, shape: &str, segments: Option<u64>, ms: f64) -> Value {
    let gb_per_s = (1u64 << 30) as f64 / 1e6 / ms;
    let work = json!({
        "name": name, "op": "sum", "shape": shape, "type": "f32", "n": 1 << 28, "segments": segments, "samples": 31,
        "spread_percent": 0.1, "gb_per_s": gb_per_s, "percent_of_read_peak": gb_per_s / 10.0
    });
    measured(ms, work)
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

/// A record of the rows of one kind: `stencils` or `library`.
fn record_of(kind: &str, rows: Value) -> Value {
    let mut record = record(&[]);
    record[kind] = rows;
    record
}

/// Writes a record into a folder.
fn put(folder: &Folder, name: &str, record: &Value) -> String {
    folder.write(name, record.to_string().as_bytes())
}

fn read(path: &str) -> String {
    fs::read_to_string(path).expect("the file is there")
}

/// A record that a command wrote.
fn written(folder: &Folder, name: &str) -> Record {
    serde_json::from_str(&read(&folder.path(name))).expect("the record can be read")
}

/// The tables of a report on some records.
fn reported(records: &[&str]) -> String {
    fine(&[&["report"], records].concat())
}

#[test]
fn ladder_leaves_records_that_can_be_read() {
    let folder = Folder::new("records-round-trip");
    let options = "--n 4096 --rungs sequential,single-pass --samples 3 --json";
    let printed = folder.fine(&format!("ladder --record ladder.json {options}"));
    let record = written(&folder, "ladder.json");
    let text = read(&folder.path("ladder.json"));
    assert_eq!(record.to_json().expect("it is JSON"), text);
    assert_eq!(record.schema, SCHEMA);
    assert!(record.peak.read_gb_per_s > 0.0 && record.peak.copy_gb_per_s > 0.0);
    for row in &record.rows {
        assert_eq!((row.status, &row.machine.adapter), (Status::Pass, &record.adapter.name));
    }
    assert_eq!(record.date.len(), "2026-11-21T00:50:00Z".len(), "{}", record.date);
    // The rows are those of --json, key by key.
    let [printed, in_file]: [Value; 2] =
        [&printed, &text].map(|text| serde_json::from_str(text).expect("it is JSON"));
    assert_eq!(printed, in_file["rows"]);

    folder.fine("ladder --record range.json --n=256..512 --samples=3 --rungs=sequential");
    assert_eq!(written(&folder, "range.json").rows.len(), 2 * 3);

    assert!(folder.fine("compare ladder.json ladder.json").contains("2 same"));
}

#[test]
fn cold_inputs_and_the_clock_are_in_the_record() {
    let folder = Folder::new("records-cold");
    let options = "--n=32768 --rungs=vectorized,single-pass --samples=3 --cold --clock=wall";
    let printed = folder.fine(&format!("ladder --record cold.json {options}"));
    assert_has(&printed, &["; cold: ", "times: wall clock"]);
    let record = written(&folder, "cold.json");
    assert_eq!((record.inputs, record.peak.timing.name()), (Inputs::Cold, "wall"));
    assert_eq!(record.rows.len(), 2);
    for row in &record.rows {
        assert_eq!((row.status, row.times.timing.as_deref()), (Status::Pass, Some("wall")), "{row:?}");
    }
}

#[test]
fn a_comparison_names_each_verdict_and_fails_on_a_regression() {
    let folder = Folder::new("records-compare");
    let mut a = record(&[row("sequential", 4096, 1.0), row("tile", 4096, 1.0)]);
    a["library"] = json!([library_row("halofold", "fixed", Some(1 << 20), 1.0)]);
    let mut b = a.clone();
    b["rows"][1]["gpu_ms_median"] = json!(1.1);
    b["stencils"] = json!([stencil("direct-global", "8x32", 1.0)]);
    let (a, b) = (put(&folder, "a.json", &a), put(&folder, "b.json", &b));

    let output = halofold(&["compare", &a, &b]);
    let table = String::from_utf8_lossy(&output.stdout);
    assert_has(&table, &["+10.0 %", "slower", "1 048 576", "8x32", "1 slower, 2 same, 1 only in B"]);
    assert_eq!(output.status.code(), Some(1), "{table}");

    let lines: Vec<Value> = parsed(&halofold(&["compare", &a, &b, "--json", "--threshold", "15"]));
    let verdicts: Vec<_> = lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["same", "same", "only-in-b", "same"]);

    // Rows as --json prints them; none of them is in the other record.
    let bare = put(&folder, "bare.json", &json!([row("radix-4", 4096, 1.0)]));
    assert_eq!(halofold(&["compare", &a, &bare]).status.code(), Some(2));
}

#[test]
fn bars_of_a_slow_machine_with_a_moving_peak_climb() {
    let folder = Folder::new("records-slow");
    let mut rows = [row("first-add", 4096, 0.0417), row("sequential", 4096, 0.0625)];
    rows[1]["percent_of_read_peak"] = json!(168.4);
    let mut record = record(&rows);
    record["adapter"]["name"] = json!("llvmpipe (LLVM 15.0.6, 256 bits)");
    record["wgpu"] = json!("none: WebGPU");
    let [a, svg] = [put(&folder, "a.json", &record), folder.path("a.svg")];
    assert_eq!(fine(&["report", &a, "--svg", &svg]), "");
    let svg = read(&svg);
    let title = ">GB/s of the sum of 2¹² f32 on llvmpipe (LLVM 15.0.6, 256</text>";
    assert_has(&svg, &[title, ">first-add 0.393</text>", ">no bank conflicts</text>"]);
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
fn the_report_keeps_drivers_and_cold_and_warm_apart() {
    let folder = Folder::new("records-apart");
    let warm = record(&[row("tile", 4096, 1.0)]);
    let mut driver = record(&[row("tile", 4096, 2.0)]);
    driver["adapter"]["driver"] = json!("driver 1.3");
    let mut cold = record(&[row("tile", 4096, 3.0)]);
    cold["inputs"] = json!("cold");
    let files = [("warm.json", warm), ("driver.json", driver), ("cold.json", cold)];
    let [warm, driver, cold] = files.map(|(name, record)| put(&folder, name, &record));
    let markdown = reported(&[&warm, &driver, &cold]);
    assert_has(&markdown, &["(vulkan) #2**", "(vulkan), cold inputs**"]);
    let line = markdown.lines().find(|line| line.starts_with("| `tile`")).expect("there is a line");
    let times: Vec<_> = line.split(" | ").filter(|cell| cell.ends_with(" ms")).collect();
    assert_eq!(times, ["1.000 ms", "2.000 ms", "3.000 ms"]);
}

#[test]
fn the_report_shows_the_library_beside_another() {
    let folder = Folder::new("records-library-report");
    let own = json!([
        library_row("halofold", "whole", None, 1.25),
        library_row("halofold", "fixed", Some(1 << 20), 1.5),
        library_row("halofold-chained", "fixed", Some(1 << 20), 1.75),
        library_row("halofold-mailbox", "scalar", None, 0.039),
    ]);
    let mut wrong = library_row("cub", "whole", None, 1.0);
    wrong["status"] = json!("fail");
    let others = json!([
        wrong,
        library_row("cub", "computed-offsets", Some(1 << 20), 3.125),
        library_row("cub", "a new shape", None, 2.5),
    ]);
    let [own, mut peer] = [own, others].map(|rows| record_of("library", rows));
    peer["adapter"]["backend"] = json!("CUDA");
    let (a, b) = (put(&folder, "own.json", &own), put(&folder, "peer.json", &peer));
    let markdown = reported(&[&a, &b]);
    let titles = ["one result", "segments", "a number on the host", "others"];
    assert_has(&markdown, &titles.map(|title| format!("### Library: {title}\n")));
    assert!(!markdown.contains("Library: histograms"), "no machine has any");
    let file = folder.path("single.md");
    let output = halofold(&["report", &a, "-o", &file]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("written: {file}\n"));
    assert_eq!(read(&file), reported(&[&a]));
    let parts = [
        "| `sum of 2²⁸ f32, whole` | 1.250 ms · 859.0 GB/s | FAIL |",
        "| `sum of 2²⁸ f32 in segments of 256, fixed` | 1.500 ms · 715.8 GB/s | 1.750 ms · 613.6 GB/s |  |",
        "| `sum of 2²⁸ f32 in segments of 256, computed-offsets` |  |  | 3.125 ms · 343.6 GB/s |",
    ];
    assert_has(&markdown, &parts);
}

#[test]
fn the_report_shows_every_rung_and_published_figures() {
    let folder = Folder::new("records-report");
    let ladder: Vec<_> = RUNGS.iter().map(|rung| row(rung.name(), 1 << 20, 1.0)).collect();
    let mut other = ladder.clone();
    other.iter_mut().for_each(|row| row["adapter"] = json!("another"));
    other[0]["status"] = json!("skipped");
    let mut published = row("tile", 33_554_432, 1.5);
    (published["preset"], published["row"]) = (json!("opencl"), json!("2"));
    published["published_ms"] = json!(5.239);
    other.push(published);
    let (a, b) = (put(&folder, "a.json", &record(&ladder)), put(&folder, "b.json", &json!(other)));
    let markdown = reported(&[&a, &b]);
    let names: Vec<_> = RUNGS.iter().map(|rung| format!("| `{}` |", rung.name())).collect();
    assert_has(&markdown, &names);
    let parts = [
        "**GPU &lt;A> & \"B\" (vulkan)**: read peak 1000 GB/s;",
        "kind discrete GPU; subgroups 32;",
        "| skipped |",
        "| 2 | `tile` | 5.239 ms |",
    ];
    assert_has(&markdown, &parts);
    assert!(!markdown.contains("<A>"), "{markdown}");
}

#[test]
fn the_report_shows_stencils_by_block_and_joins_a_machines_records() {
    let folder = Folder::new("records-stencil-report");
    let blocks = ["8x16", "16x16"];
    let speeds = [("dir-fusion", 0.4), ("sol-reg", 0.5), ("register-rows", 0.15)];
    let of = |(variant, ms)| blocks.map(|block| stencil(variant, block, ms * block.len() as f64));
    let mut rows: Vec<_> = speeds.into_iter().flat_map(of).collect();
    (rows[0]["steps"], rows[0]["wall_ms_median"]) = (json!(1500), json!(2_345.0));
    let a = put(&folder, "stencils.json", &record_of("stencils", json!(rows)));
    let b = put(&folder, "ladder.json", &record(&[row("sequential", 1 << 20, 1.0)]));
    let c = put(&folder, "bare.json", &json!([row("tile", 1 << 20, 2.0)]));
    let markdown = reported(&[&a, &c, &b]);
    assert!(!markdown.contains("(vulkan) #2"), "one machine");
    let parts = [
        "### 5-point stencil of f32, fixed borders",
        "8192 × 8192: block |",
        "| `register-rows` | 8x16 | 600.0 µs |",
        "| GeForce GTX 295",
        "| `dir-fusion 8x16` | 5.022 | 25.11 | 19.97 s | 41.94 | 209.7 | 2.345 s |",
        "| `sol-reg 16x16` | 6.094 | 30.47 | 16.45 s | 26.84 | 134.2 |  |",
        "| `tile` | opencl 2 | 2.000 ms |",
    ];
    assert_has(&markdown, &parts);
}
