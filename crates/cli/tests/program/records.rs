//! Records: files of `--record`, comparisons of two by `compare`, and reports of several by `report`.

use std::fs;

use crate::files::{Folder, assert_has, fine, halofold, parsed, refused};
use halofold_measure::{Inputs, Record, SCHEMA, Status};
use serde_json::{Value, json};

/// The records of an H200, of ladders of two lengths, stencils, the library and CUB.
const H200: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/h200");

/// A row of a rung that took so long, in milliseconds.
fn row(rung: &str, n: u64, ms: f64) -> Value {
    let gb_per_s = n as f64 * 4.0 / 1e6 / ms;
    json!({
        "rung": rung, "finish": "repeat", "type": "f32", "op": "sum", "n": n, "workgroup_size": 256,
        "gpu_ms_median": ms, "gpu_ms_min": ms, "gpu_ms_iqr": 0.001 * ms, "timing": "gpu", "gb_per_s": gb_per_s,
        "percent_of_read_peak": gb_per_s / 10.0, "status": "pass", "adapter": "GPU <A> & \"B\"", "backend": "vulkan"
    })
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

fn put(folder: &Folder, name: &str, record: &Value) -> String {
    folder.write(name, record.to_string().as_bytes())
}

fn read(path: &str) -> String {
    fs::read_to_string(path).expect("the file is there")
}

fn written(folder: &Folder, name: &str) -> Record {
    serde_json::from_str(&read(&folder.path(name))).expect("the record can be read")
}

#[test]
fn ladder_leaves_records_that_can_be_read() {
    let folder = Folder::new("records-round-trip");
    let options = "--n 4096 --rungs sequential,single-pass --samples 3 --json";
    let printed = folder.fine(&format!("ladder --record ladder.json {options}"));
    let record = written(&folder, "ladder.json");
    let text = read(&folder.path("ladder.json"));
    assert_eq!((record.to_json().expect("it is JSON"), record.schema), (text.clone(), SCHEMA));
    assert!(record.peak.read_gb_per_s > 0.0 && record.peak.copy_gb_per_s > 0.0);
    for row in &record.rows {
        assert_eq!((row.status, &row.machine.adapter), (Status::Pass, &record.adapter.name));
        // Six digits, all in percent of one peak.
        let figures = [row.times.median, row.figures.gb_per_s, row.figures.percent_of_read_peak];
        let [ms, speed, percent] = figures.map(Option::unwrap);
        assert!(format!("{ms}{speed}").len() < 20, "{ms} {speed}");
        assert!((100.0 * speed / record.peak.read_gb_per_s / percent - 1.0).abs() < 1e-4, "{row:?}");
    }
    assert_eq!(record.date.len(), "2026-11-21T00:50:00Z".len(), "{}", record.date);
    assert_eq!(printed, text, "--json prints the record");

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
    assert!(record.rows.iter().all(|row| row.times.timing.as_deref() == Some("wall")));
}

#[test]
fn a_comparison_names_machines_and_verdicts_and_fails_on_a_regression() {
    let folder = Folder::new("records-compare");
    let a = record(&[row("sequential", 4096, 1.0), row("tile", 4096, 1.0)]);
    let mut b = a.clone();
    (b["rows"][1]["gpu_ms_median"], b["rows"][1]["gpu_ms_min"]) = (json!(1.1), json!(1.1));
    b["rows"].as_array_mut().unwrap().push(row("exact", 4096, 1.0));
    let (a, b) = (put(&folder, "a.json", &a), put(&folder, "b.json", &b));

    let output = halofold(&["compare", &a, &b]);
    let table = String::from_utf8_lossy(&output.stdout);
    let machine = "B: GPU <A> & \"B\" (vulkan), driver driver 1.2, 2026-11-21\n";
    assert_has(&table, &[machine, "+10.0 %", "slower", "1 slower, 1 same, 1 only in B"]);
    assert_eq!(output.status.code(), Some(1), "{table}");

    let lines: Vec<Value> = parsed(&halofold(&["compare", &a, &b, "--json", "--threshold", "15"]));
    let verdicts: Vec<_> = lines.iter().map(|line| line["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["same", "same", "only-in-b"]);
    assert_eq!(lines[1]["change_percent"], 10.0, "six digits");
    // Times of a software adapter are noise, unless a threshold is given.
    let [soft_a, soft_b] = [("soft-a.json", &a), ("soft-b.json", &b)].map(|(name, path)| {
        let mut record: Value = serde_json::from_str(&read(path)).unwrap();
        record["adapter"]["device_type"] = json!("Cpu");
        put(&folder, name, &record)
    });
    assert!(fine(&["compare", &soft_a, &soft_b]).contains("1 same, 1 noise, 1 only in B"));
    assert_eq!(halofold(&["compare", &soft_a, &soft_b, "--threshold", "5"]).status.code(), Some(1));
    let other = put(&folder, "other.json", &record(&[row("radix-4", 4096, 1.0)]));
    refused(&halofold(&["compare", &a, &other]), &["no row is in both records"]);
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
    assert_eq!(fine(&["report", &a, "-o", &svg]), "");
    let svg = read(&svg);
    let title = ">GB/s of the sum of 2¹² f32 on llvmpipe (LLVM 15.0.6, 256</text>";
    assert_has(&svg, &[title, ">first-add 0.393</text>", ">no bank conflicts</text>"]);
    assert!(!svg.contains("class=\"ceiling\""), "{svg}");
    let widths = svg.split("class=\"bar\"").skip(1).map(|bar| {
        let width = bar.split("width=\"").nth(1).and_then(|rest| rest.split('"').next());
        width.and_then(|width| width.parse::<f64>().ok()).expect("a bar has a width")
    });
    assert!(widths.is_sorted(), "{svg}");
    let tables = fine(&["report", &a, "-o", "-"]);
    assert!(tables.contains("halofold 0.1.0, WebGPU") && !tables.contains("none: "), "{tables}");
}

#[test]
fn reports_keep_machines_and_lengths_apart() {
    let folder = Folder::new("records-apart");
    // The same rung of two workgroups is one rung.
    let mut warm = record(&[row("tile", 1 << 24, 1.0), row("tile", 1 << 24, 1.5), row("tile", 4096, 5.0)]);
    warm["rows"][1]["workgroup_size"] = json!(512);
    let mut driver = record(&[row("tile", 1 << 24, 2.0)]);
    driver["adapter"]["driver"] = json!("driver 1.3");
    let mut cold = record(&[row("tile", 1 << 24, 3.0)]);
    cold["inputs"] = json!("cold");
    let files = [("warm.json", warm), ("driver.json", driver), ("cold.json", cold)];
    let [warm, driver, cold] = files.map(|(name, record)| put(&folder, name, &record));
    let markdown = fine(&["report", &warm, &driver, &cold, "--beside", "h200"]);
    let parts = [
        "**GPU &lt;A> & \"B\" (vulkan)**: sum of 2²⁴ f32: `tile` reads 67.11 GB/s, 7 % of the read peak; ",
        "(vulkan) #2**",
        "(vulkan), cold inputs**",
        "**NVIDIA H200 (vulkan)**: sum of 2²⁸ f32: `single-pass` reads 4558 GB/s, 101 % of the read peak, 13.9 times",
        "### sum of f32, 2²⁴ elements\n",
        "### sum of f32, 2¹² elements\n",
    ];
    assert_has(&markdown, &parts);
    assert!(!markdown.contains("2²⁸ elements") && !markdown.contains("Library"), "H200 has 2^24, too");
    let lines: Vec<_> = markdown.lines().filter(|line| line.starts_with("| `tile`")).collect();
    let times = |line: &str| {
        let is_time = |cell: &&str| cell.ends_with(" ms") || cell.ends_with(" µs");
        line.split(" | ").filter(is_time).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(times(lines[0]), ["1.000 ms", "2.000 ms", "3.000 ms", "86.03 µs"]);
    assert_eq!(times(lines[1]), ["5.000 ms"]);
}

#[test]
fn reports_show_stencils_the_library_and_documents() {
    let folder = Folder::new("records-report");
    let mut published = row("tile", 33_554_432, 1.5);
    (published["preset"], published["row"], published["published_ms"]) =
        (json!("opencl"), json!("2"), json!(5.239));
    let mut wrong = row("single-pass", 4096, 1.0);
    wrong["status"] = json!("fail");
    let other = put(&folder, "other.json", &record(&[published, wrong]));
    let names = ["stencil-5pt", "library", "cub"].map(|name| format!("{H200}/{name}.json"));
    let args = [&["report", &other][..], &names.each_ref().map(String::as_str)].concat();
    let markdown = fine(&args);
    let parts = [
        "1 right, 1 wrong, 0 skipped",
        "| `single-pass` | beyond | FAIL |",
        "| row | rung | published: time | GB/s | GPU &lt;A> & \"B\" (vulkan): time |",
        "| 2 | `tile` | 5.239 ms |  | 1.500 ms |",
        "### 5-point stencil of f32, fixed borders, 8192 × 8192\n",
        "| `register-rows` | 4x64 |",
        "| the thesis's rows | GeForce GTX 295 (the thesis): GCell/s | GFLOP/s | all steps | NVIDIA H200 (vulkan): GCell/s |",
        "| `dir-fusion 8x16` | 5.022 | 25.11 | 19.97 s | 205.1 | 1025 | 0.492 s |",
        "### Library: segments\n",
    ];
    assert_has(&markdown, &parts);
    let file = folder.path("single.md");
    let output = halofold(&["report", &other, "-o", &file]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("written: {file}\n"));
    assert_eq!(read(&file), fine(&["report", &other]));
}
