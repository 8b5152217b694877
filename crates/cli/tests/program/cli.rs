//! `halofold devices` and `halofold ladder` on the adapter at hand, and output to closed pipes.

use std::io::{BufRead as _, BufReader};
use std::process::Output;

use crate::files::{Folder, assert_has, command, npy, parsed, refused, stdout, typed};
use crate::keys::{assert_keys, check};
use halofold::ladder::RUNGS;
use serde_json::Value;

/// The rows of a record, which must have the documented keys and no failure.
fn rows(output: &Output) -> Vec<Value> {
    let record: Value = parsed(output);
    let rows = record["rows"].as_array().expect("a list of rows");
    rows.iter().filter_map(Value::as_object).for_each(check);
    rows.clone()
}

#[test]
fn the_ladder_has_a_row_for_every_rung() {
    let rows = rows(&typed("ladder --n 5000 --samples 1 --json"));
    let names: Vec<_> = rows.iter().map(|row| row["rung"].as_str().unwrap()).collect();
    assert_eq!(names, RUNGS.iter().map(|rung| rung.name()).collect::<Vec<_>>());
    for row in &rows {
        assert_eq!((&row["n"], &row["type"], &row["op"]), (&5000.into(), &"f32".into(), &"sum".into()));
    }
}

#[test]
fn presets_have_the_rows_of_their_documents() {
    // Short: the documents' own lengths are for the GPU; then the published times, which are for those lengths, stay out.
    for (preset, count) in [("tga", 7), ("csc367", 11), ("exercise", 2), ("opencl", 8)] {
        let rows = rows(&typed(&format!("ladder --preset {preset} --n 3000 --samples 1 --json")));
        assert_eq!(rows.len(), count, "{preset}");
        assert!(rows.iter().all(|row| row["preset"] == preset && row["published_ms"].is_null()));
    }
    let text = stdout(&typed("ladder --preset exercise --n 3000 --samples 1 --type f32"));
    assert!(text.contains("one CPU thread; here with 3000 elements, f32\n"), "{text}");
}

#[test]
fn the_environment_chooses_back_ends() {
    let folder = Folder::new("ladder-environment");
    let text = folder.fine("WGPU_BACKEND= ladder --n=1k --samples=1 --rungs=sequential");
    assert!(!text.contains("is the fastest"), "{text}");
    let other = if cfg!(target_os = "macos") { "dx12" } else { "metal" };
    refused(&folder.run(&format!("WGPU_BACKEND={other} ladder")), &["not available on"]);
    // macOS and Windows have no Vulkan to take away.
    let none = "VK_DRIVER_FILES=/nonexistent/driver.json VK_ICD_FILENAMES=/nonexistent/driver.json";
    refused(&folder.run(&format!("WGPU_BACKEND=vulkan {none} ladder")), &["mesa-vulkan-drivers"]);
}

#[test]
fn devices_are_listed_and_the_default_is_marked() {
    let devices: Vec<Value> = parsed(&typed("devices --json"));
    let (text, verbose) = (stdout(&typed("devices")), stdout(&typed("devices --verbose")));
    assert!(devices.iter().any(|device| device["in_all"] == true), "{devices:?}");
    assert_eq!(text.matches(" (default)").count(), 1, "{text}");
    for device in &devices {
        assert!(device["types"].as_array().unwrap().iter().any(|name| name == "f32"));
        assert!(device.get("pci").is_some(), "{device}");
        assert_has(&text, &[device["name"].as_str().unwrap()]);
        assert_has(&verbose, &[device["name"].as_str().unwrap(), "  features: ", "  types: "]);
    }
}

#[test]
fn tables_and_csv_say_the_same() {
    let options = "ladder --n 1000 --rungs tile,single-pass --workgroup 64,128 --samples 1";
    let table = stdout(&typed(options));
    assert_has(&table, &["read peak", "is the fastest: ", "— more work per invocation\n"]);
    let line = table.lines().find(|line| line.starts_with("tile ")).expect("a line");
    assert_has(line, &[" repeat ", " 1000 ", "PASS"]);
    let csv = stdout(&typed(&format!("{options} --csv")));
    let lines: Vec<_> = csv.lines().collect();
    assert_keys(lines[0].split(','), "`ladder`");
    assert_eq!(lines.len(), 5);
    assert!(lines[1].starts_with(",,tile,repeat,f32,sum,1000,64,"), "{}", lines[1]);
    let text = stdout(&typed("ladder --rungs exact --type i32 --n 1k --samples 1"));
    assert!(text.contains("ask for it without exactness") && !text.contains("Accuracy"), "{text}");
}

/// Rows come as they are done, in a pipe, too: the first one long before the last.
#[test]
fn rows_are_printed_as_they_are_done() {
    let mut child = command("ladder", &["--n", "2^16", "--samples", "100"]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.starts_with("global-adjacent ")));
    assert!(child.try_wait().unwrap().is_none(), "the first row comes with the last");
    assert!(lines.any(|line| line.starts_with("exact ")) && child.wait().unwrap().success());
}

#[test]
fn a_closed_pipe_is_quiet() {
    let path = Folder::new("closed-pipe").write("a.npy", &npy("<f4", false, &[2], &[0; 8]));
    for (subcommand, args) in [
        ("ladder", &["--n", "100", "--samples", "1"][..]),
        ("reduce", &[&path, "--json"]),
        ("reduce", &[&path]),
    ] {
        let mut child = command(subcommand, args).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{message}");
        assert!(!message.contains("panicked") && !message.contains("pipe"), "{message}");
    }
}

#[test]
fn man_pages_have_the_usual_sections() {
    assert_has(&stdout(&typed("man reduce")), &[".SH EXAMPLES\n"]);
    assert_has(&stdout(&typed("man")), &[".SH \"EXIT STATUS\"\n", ".SH ENVIRONMENT\n"]);
}

#[test]
fn a_type_the_adapter_lacks_names_the_feature() {
    let devices: Vec<Value> = parsed(&typed("devices --json"));
    let types = devices[0]["types"].as_array().unwrap();
    for (name, feature) in [("f64", "SHADER_F64"), ("i64", "SHADER_INT64"), ("f16", "SHADER_F16")] {
        let options = format!("--adapter 0 --type {name} --n 100 --rungs sequential --samples 1");
        let output = typed(&format!("ladder {options}"));
        if types.iter().any(|known| known == name) {
            assert_eq!(output.status.code(), Some(0), "{name}");
        } else {
            refused(&output, &[feature]);
        }
    }
}

/// The names of the rows of one size, with two rungs that run everywhere.
const SERIES: [&str; 4] = ["cpu-one-thread", "cpu-all-threads", "sequential", "single-pass"];

#[test]
fn a_range_has_rows_of_every_size_beside_the_cpu() {
    let tiny = "ladder --rungs sequential,single-pass --n=2^8..1_024 --samples=3";
    let text = stdout(&typed(tiny));
    let starting = |start: &str| text.lines().filter(|line| line.trim_start().starts_with(start)).count();
    assert_eq!(["256 ", "512 ", "2^10 ", "End to end, "].map(starting), [2, 2, 2, 1], "{text}");
    assert!(!text.contains("skipped") && !text.contains("FAIL"), "{text}");
    for (element, op) in [("u32", "product"), ("i32", "wide-sum"), ("f32", "max")] {
        let rows = rows(&typed(&format!("{tiny} --json --type {element} --op {op}")));
        let named = rows.iter().map(|row| (row["n"].as_u64().unwrap(), row["rung"].as_str().unwrap()));
        assert!(
            named.eq([256, 512, 1024].into_iter().flat_map(|n| SERIES.map(|rung| (n, rung)))),
            "{rows:?}"
        );
        for row in &rows {
            assert_eq!([&row["status"], &row["type"], &row["op"]], ["pass", element, op], "{row:?}");
            let is_cpu = row["rung"].as_str().unwrap().starts_with("cpu-");
            assert_eq!(
                [row["backend"] == "cpu", row["finish"].is_null(), row["gpu_ms_median"].is_null()],
                [is_cpu; 3]
            );
        }
    }
}
