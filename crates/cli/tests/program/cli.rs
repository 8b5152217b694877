//! `halofold devices` and `halofold ladder`, by running the program on the adapter at hand.

use std::process::Output;

use crate::files::{Folder, assert_has, parsed, refused, stdout, typed};
use crate::keys::{assert_keys, check};
use halofold::ladder::RUNGS;
use serde_json::Value;

/// Parses the output, which must be one JSON array with the documented keys, and no failure.
fn rows(output: &Output) -> Vec<Value> {
    let rows: Vec<serde_json::Map<String, Value>> = parsed(output);
    rows.iter().for_each(check);
    rows.into_iter().map(Value::Object).collect()
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
fn every_operator_runs() {
    for op in ["sum", "product", "min", "max", "wide-sum", "wide-product"] {
        let rungs = "--rungs sequential,vectorized --samples 1 --json";
        let output = typed(&format!("ladder --type i32 --op {op} --n 777 {rungs}"));
        assert!(rows(&output).iter().all(|row| row["status"] == "pass"), "{op}");
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
}

#[test]
fn the_environment_chooses_back_ends() {
    let folder = Folder::new("ladder-environment");
    let text = folder.fine("WGPU_BACKEND= ladder --n=1k --samples=1 --rungs=sequential");
    assert!(!text.contains("is the fastest"), "{text}");
    let other = if cfg!(target_os = "macos") { "dx12" } else { "metal" };
    refused(&folder.run(&format!("WGPU_BACKEND={other} ladder")), &["there is none of that on"]);
    // macOS and Windows have no Vulkan to take away.
    let none = "VK_DRIVER_FILES=/nonexistent/driver.json VK_ICD_FILENAMES=/nonexistent/driver.json";
    refused(&folder.run(&format!("WGPU_BACKEND=vulkan {none} ladder")), &["mesa-vulkan-drivers"]);
}

#[test]
fn a_preset_says_what_was_run() {
    let text = stdout(&typed("ladder --preset exercise --n 3000 --samples 1 --type f32"));
    assert!(text.contains("one CPU thread; here with 3 000 elements, f32\n"), "{text}");
    let text = stdout(&typed("ladder --rungs exact --type i32 --n 1k --samples 1"));
    assert!(text.contains("ask for it without exactness") && !text.contains("Accuracy"), "{text}");
}

#[test]
fn devices_are_listed() {
    let devices: Vec<Value> = parsed(&typed("devices --json"));
    assert!(devices.iter().any(|device| device["in_all"] == true), "{devices:?}");
    let text = stdout(&typed("devices"));
    for device in &devices {
        assert!(device["types"].as_array().unwrap().iter().any(|name| name == "f32"));
        assert!(device.get("pci").is_some(), "{device}");
        assert_has(&text, &[device["name"].as_str().unwrap(), "\n  subgroups: ", "  types: "]);
    }
}

#[test]
fn tables_and_csv_say_the_same() {
    let table = stdout(&typed("ladder --n 1000 --rungs tile,single-pass --samples 1"));
    assert_has(&table, &["read peak", "is the fastest: "]);
    let line = table.lines().find(|line| line.trim_start().starts_with("tile ")).expect("a line");
    assert_has(line, &[" repeat ", " 1 000 ", "PASS"]);
    let csv = stdout(&typed("ladder --n 1000 --rungs tile,single-pass --samples 1 --csv"));
    let lines: Vec<_> = csv.lines().collect();
    assert_keys(lines[0].split(','), "`ladder`");
    assert_eq!(lines.len(), 3);
    assert!(lines[1].starts_with(",,tile,repeat,f32,sum,1000,"), "{}", lines[1]);
}

#[test]
fn a_type_the_adapter_lacks_names_the_feature() {
    let devices: Vec<Value> = parsed(&typed("devices --json"));
    let types = devices[0]["types"].as_array().unwrap();
    for (name, feature) in [("f64", "SHADER_F64"), ("i64", "SHADER_INT64"), ("f16", "SHADER_F16")] {
        let output =
            typed(&format!("ladder --adapter 0 --type {name} --n 100 --rungs sequential --samples 1"));
        if types.iter().any(|known| known == name) {
            assert_eq!(output.status.code(), Some(0), "{name}");
        } else {
            refused(&output, &[feature]);
        }
    }
}
