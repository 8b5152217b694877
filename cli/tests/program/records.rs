//! Records: what `--record` leaves behind, what `compare` says of two, and what `report` makes of several.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use halofold::reduce::ladder::RUNGS;
use halofold_measure::{Inputs, Record, SCHEMA, Status};
use serde_json::{Value, json};

fn halofold(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_halofold")).args(arguments).output().expect("the program starts")
}

/// Standard output of a command that must go well.
fn fine(arguments: &[&str]) -> String {
    let output = halofold(arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {error}");
    String::from_utf8(output.stdout).expect("text is UTF-8")
}

/// A folder of a test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("records").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

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

fn write(path: &Path, value: &Value) {
    fs::write(path, value.to_string()).expect("the file can be written");
}

/// The verdicts of comparing two files of rows, and the exit status.
fn compare(name: &str, a: &Value, b: &Value, options: &[&str]) -> (Vec<String>, Option<i32>) {
    let folder = folder(name);
    let paths = [folder.join("a.json"), folder.join("b.json")];
    write(&paths[0], a);
    write(&paths[1], b);
    let output = halofold(&[&["compare", text(&paths[0]), text(&paths[1]), "--json"], options].concat());
    let lines: Vec<Value> = serde_json::from_slice(&output.stdout).expect("--json prints an array");
    let verdicts = lines.iter().map(|line| line["verdict"].as_str().expect("a verdict is a word").to_owned());
    (verdicts.collect(), output.status.code())
}

#[test]
fn ladder_and_sweep_leave_records_that_can_be_read() {
    let folder = folder("round_trip");
    let ladder = folder.join("ladder.json");
    let options = ["--n", "4096", "--rungs", "sequential,single-pass", "--samples", "3", "--json"];
    let printed = fine(&[&["ladder", "--record", text(&ladder)], &options[..]].concat());
    let written = fs::read_to_string(&ladder).expect("the record is there");
    let record: Record = serde_json::from_str(&written).expect("the record can be read");
    assert_eq!(record.to_json().expect("it is JSON"), written);
    assert_eq!(record.schema, SCHEMA);
    assert!(record.peak.read_gb_per_s > 0.0 && record.peak.copy_gb_per_s > 0.0);
    assert!(
        record
            .rows
            .iter()
            .all(|row| row.status == Status::Pass && row.machine.adapter == record.adapter.name)
    );
    assert_eq!(record.date.len(), "2026-11-21T00:50:00Z".len(), "{}", record.date);
    // The rows are those of --json, key by key.
    let [printed, written]: [Value; 2] =
        [&printed, &written].map(|text| serde_json::from_str(text).expect("it is JSON"));
    assert_eq!(printed, written["rows"]);

    let sweep = folder.join("sweep.json");
    fine(&["sweep", "--record", text(&sweep), "--from=256", "--to=512", "--samples=3", "--rungs=sequential"]);
    let swept: Record =
        serde_json::from_slice(&fs::read(&sweep).expect("it is there")).expect("it can be read");
    assert_eq!(swept.rows.len(), 2 * 3);

    let same = halofold(&["compare", text(&ladder), text(&ladder)]);
    assert_eq!(same.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&same.stdout).contains("2 same"));
}

#[test]
fn cold_inputs_and_the_clock_are_in_the_record() {
    let path = folder("cold").join("cold.json");
    let options = ["--n=32768", "--rungs=vectorized,single-pass", "--samples=3", "--cold", "--clock=wall"];
    let printed = fine(&[&["ladder", "--record", text(&path)], &options[..]].concat());
    assert!(printed.contains("; cold: ") && printed.contains("times: wall clock"), "{printed}");
    let written = fs::read_to_string(&path).expect("the record is there");
    let record: Record = serde_json::from_str(&written).expect("the record can be read");
    assert_eq!((record.inputs, record.peak.timing.as_str()), (Inputs::Cold, "wall"));
    assert_eq!(record.rows.len(), 2);
    for row in &record.rows {
        assert_eq!((row.status, row.times.timing.as_deref()), (Status::Pass, Some("wall")), "{row:?}");
    }

    let output = halofold(&["ladder", "--n=100", "--cold"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("cold inputs of 400 bytes") && error.contains("bytes or more"), "{error}");
}

#[test]
fn records_from_before_cold_inputs_are_warm() {
    let old: Record = serde_json::from_value(record(&[])).expect("the record can be read");
    assert_eq!(old.inputs, Inputs::Warm);
}

#[test]
fn rows_of_the_library_round_trip_and_old_records_have_none() {
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
    assert!(old.library.is_empty());
}

#[test]
fn a_record_that_cannot_be_written_is_an_error_before_the_work() {
    let output = halofold(&["ladder", "--record", "/no such folder/record.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(String::from_utf8_lossy(&output.stderr).contains("--record /no such folder/record.json"));
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
    let folder = folder("library_table");
    let path = folder.join("a.json");
    write(&path, &library_record(&rows));
    let table = fine(&["compare", text(&path), text(&path)]);
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
fn what_cannot_be_compared_is_an_error() {
    let folder = folder("errors");
    let good = folder.join("good.json");
    write(&good, &record(&[row("sequential", 4096, 1.0, 0.01)]));
    let bad = folder.join("bad.json");
    for (content, message) in [
        ("not JSON", "not JSON"),
        ("{\"schema\": 7}", "schema 7"),
        ("{\"name\": \"something else\"}", "not a halofold record"),
        ("[{\"file\": \"x.npy\", \"value\": 3}]", "not rows of"),
    ] {
        fs::write(&bad, content).expect("the file can be written");
        for arguments in
            [["compare", text(&good), text(&bad)], ["report", text(&bad), "--markdown=/dev/null"]]
        {
            let output = halofold(&arguments);
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{content}: {error}");
            assert!(error.contains(message) && error.contains("bad.json"), "{content}: {error}");
        }
    }
    fs::write(&bad, b"\x93NUMPY").expect("the file can be written");
    let array = halofold(&["report", text(&bad), "--markdown=/dev/null"]);
    assert!(String::from_utf8_lossy(&array.stderr).contains("not a halofold record"));
    let nothing = halofold(&["report", text(&good)]);
    let error = String::from_utf8_lossy(&nothing.stderr);
    assert!(
        ["--output", "--markdown", "--svg", "--readme"].iter().all(|name| error.contains(name)),
        "{error}"
    );
    let missing = halofold(&["compare", text(&good), "/no such file.json"]);
    assert_eq!(missing.status.code(), Some(2));
    write(&bad, &json!([row("tile", 4096, 1.0, 0.01)]));
    assert_eq!(halofold(&["compare", text(&good), text(&bad)]).status.code(), Some(2), "nothing in common");
}

#[test]
fn bars_of_a_slow_machine_with_a_moving_peak_are_by_speed() {
    let folder = folder("slow");
    let [a, svg, page] = ["a.json", "a.svg", "a.html"].map(|name| folder.join(name));
    let mut rows = [row("sequential", 4096, 0.0417, 0.0), row("tile", 4096, 0.0625, 0.0)];
    rows[1]["percent_of_read_peak"] = json!(168.4);
    let mut record = record(&rows);
    record["adapter"]["name"] = json!("llvmpipe (LLVM 15.0.6, 256 bits)");
    record["wgpu"] = json!("none: WebGPU");
    write(&a, &record);
    fine(&["report", text(&a), "--svg", text(&svg), "-o", text(&page)]);
    let [svg, page] = [svg, page].map(|path| fs::read_to_string(path).expect("it was written"));
    assert!(svg.contains(">0.393</text>") && svg.contains(">0.262</text>"), "{svg}");
    assert!(svg.contains(">GB/s of the sum of 2¹² f32 on llvmpipe (LLVM 15.0.6, 256</text>"), "{svg}");
    let widths: Vec<f64> = page
        .split("class=\"bar\"")
        .skip(1)
        .map(|bar| bar.split("width=\"").nth(1).unwrap().split('%').next().unwrap().parse().unwrap())
        .collect();
    assert!(widths.len() == 2 && widths[0] > widths[1] && !page.contains("class=\"ceiling\""), "{widths:?}");
    assert!(page.contains("halofold 0.1.0, WebGPU") && !page.contains("none: "));
}

#[test]
fn the_report_keeps_cold_and_warm_apart() {
    let folder = folder("cold_report");
    let warm = record(&[row("tile", 4096, 1.0, 0.0)]);
    let mut cold = record(&[row("tile", 4096, 3.0, 0.0)]);
    cold["inputs"] = json!("cold");
    let paths = ["warm.json", "cold.json", "page.md"].map(|name| folder.join(name));
    write(&paths[0], &warm);
    write(&paths[1], &cold);
    fine(&["report", text(&paths[0]), text(&paths[1]), "--markdown", text(&paths[2])]);
    let markdown = fs::read_to_string(&paths[2]).expect("the tables are there");
    assert!(markdown.contains("(vulkan), cold inputs"), "{markdown}");
    assert!(markdown.contains("1.000 ms") && markdown.contains("3.000 ms"), "{markdown}");
}

#[test]
fn the_report_shows_the_library_beside_another() {
    let folder = folder("library_report");
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
    let [a, b, page, markdown] =
        ["own.json", "peer.json", "page.html", "page.md"].map(|name| folder.join(name));
    write(&a, &own);
    write(&b, &peer);
    fine(&["report", text(&a), text(&b), "-o", text(&page), "--markdown", text(&markdown)]);

    let html = fs::read_to_string(&page).expect("the page is there");
    let markdown = fs::read_to_string(&markdown).expect("the tables are there");
    assert!(html.contains("<h1>The library on 2 machines</h1>"));
    for text in [
        "Library: one result",
        "Library: segments",
        "Library: a number on the host",
        "Library: others",
        "1.500 ms · 715.8 GB/s",
        "39.00 µs",
    ] {
        assert!(html.contains(text) && markdown.contains(text), "{text}");
    }
    assert!(!html.contains("Library: histograms"), "nobody has any");
    // Of one machine, a chart has a bar for each row.
    let output = halofold(&["report", text(&a), "-o", text(&page)]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("written: {}\n", text(&page)));
    let single = fs::read_to_string(&page).expect("the page is there");
    let start = single.find("Library: segments</h2>").expect("the section is there");
    let figures = &single[start..start + single[start..].find("<table").expect("the table follows")];
    assert_eq!((figures.matches("<svg").count(), figures.matches("class=\"bar\"").count()), (1, 2));
    assert!(figures.contains("halofold-chained: sum of 2²⁸ f32 in segments of 256, fixed"), "{figures}");
    // One chart for both ways to give segments of one length, machine by machine.
    let start = html.find("<h3>sum of 2²⁸ f32 in segments of 256</h3>").expect("the chart is there");
    let figure = &html[start..start + html[start..].find("</figure>").expect("the figure ends")];
    for text in ["(vulkan)", "(CUDA)", "halofold fixed", "halofold-chained fixed", "cub computed-offsets"] {
        assert!(figure.contains(text), "{text}");
    }
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
fn the_report_shows_every_rung_and_stands_alone() {
    let folder = folder("report");
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
    let [a, b, page, markdown] = ["a.json", "b.json", "page.html", "page.md"].map(|name| folder.join(name));
    write(&a, &record(&ladder));
    write(&b, &json!(skipped));
    fine(&["report", text(&a), text(&b), "-o", text(&page), "--markdown", text(&markdown)]);

    let html = fs::read_to_string(&page).expect("the page is there");
    let markdown = fs::read_to_string(&markdown).expect("the tables are there");
    for rung in RUNGS {
        assert!(html.matches(rung.name()).count() >= 3, "{} in two charts and the table", rung.name());
        assert!(markdown.contains(&format!("| `{}` |", rung.name())), "{}", rung.name());
    }
    assert!(html.contains("GPU &lt;A&gt; &amp; &quot;B&quot; (vulkan)") && !html.contains("<A>"));
    assert!(html.contains("needs SUBGROUP") && html.contains("read peak 1000 GB/s"));
    assert!(html.contains("5.239 ms") && markdown.contains("5.239 ms"), "the published figure");
    assert!(html.contains("polyline") && html.contains("prefers-color-scheme: dark"));
    assert!(html.contains("<dd>discrete GPU</dd><dt>subgroups</dt><dd>32</dd>"));
    for outside in ["<script", "http:", "https:", "url(", "@import", "NaN", "inf%"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert_eq!(halofold(&["report", text(&a)]).status.code(), Some(2), "nowhere to write");
}

#[test]
fn the_report_shows_stencils_by_block_and_joins_a_machines_records() {
    let folder = folder("stencil_report");
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
    let [a, b, c] = ["stencils.json", "ladder.json", "bare.json"].map(|name| folder.join(name));
    write(&a, &stencil_record(&rows));
    write(&b, &record(&ladder));
    write(&c, &json!([row("tile", 1 << 20, 2.0, 0.0)]));
    let [page, markdown] = ["page.html", "page.md"].map(|name| folder.join(name));
    fine(&["report", text(&a), text(&c), text(&b), "-o", text(&page), "--markdown", text(&markdown)]);

    let html = fs::read_to_string(&page).expect("the page is there");
    let markdown = fs::read_to_string(&markdown).expect("the tables are there");
    assert!(html.contains("Reductions and stencils on GPU") && !html.contains("(vulkan) #2"), "one machine");
    for (variant, _) in speeds {
        assert!(html.matches(variant).count() >= 3, "{variant} in the chart, its legend and the table");
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
        assert!(html.contains(text) && markdown.contains(text), "{text}");
    }
    assert!(html.contains("copy: 112.5"), "the ceiling: 900 GB/s are 112.5 GCell/s");
    for outside in ["<script", "http:", "https:", "url(", "@import", "NaN"] {
        assert!(!html.contains(outside), "{outside}");
    }
    let table = fine(&["report", text(&b), text(&c), "--readme"]);
    assert!(table.contains("| `sequential` |") && table.contains("| `tile` | opencl 2 |"), "{table}");
    assert_eq!(halofold(&["report", text(&a), "--readme"]).status.code(), Some(2), "no ladder in it");
}
