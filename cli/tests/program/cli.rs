//! `halofold devices` and `halofold ladder`, by running the program on the adapter at hand.

use std::collections::HashSet;
use std::io::Read as _;
use std::process::{Command, Output, Stdio};

use crate::keys::{KEYS, assert_keys};
use halofold::reduce::ladder::RUNGS;
use serde_json::Value;

fn halofold(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_halofold")).args(arguments).output().expect("the program starts")
}

/// Runs and parses what must be one JSON array with the documented keys, and no failure.
fn rows(arguments: &[&str]) -> Vec<Value> {
    let output = halofold(arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    let rows: Vec<serde_json::Map<String, Value>> = serde_json::from_slice(&output.stdout).expect("JSON");
    for row in &rows {
        assert_keys(row.keys().map(String::as_str), KEYS);
        check(row);
    }
    rows.into_iter().map(Value::Object).collect()
}

/// What holds of every row.
fn check(row: &serde_json::Map<String, Value>) {
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

#[test]
fn the_ladder_has_a_row_for_every_rung() {
    let rows = rows(&["ladder", "--n", "5000", "--samples", "1", "--json"]);
    let names: Vec<_> = rows.iter().map(|row| row["rung"].as_str().unwrap()).collect();
    assert_eq!(names, RUNGS.iter().map(|rung| rung.name()).collect::<Vec<_>>());
    for row in &rows {
        assert_eq!((&row["n"], &row["type"], &row["op"]), (&5000.into(), &"f32".into(), &"sum".into()));
    }
}

#[test]
fn every_operator_runs() {
    for op in ["sum", "product", "min", "max", "wide-sum", "wide-product"] {
        let arguments = [
            "ladder",
            "--type",
            "i32",
            "--op",
            op,
            "--n",
            "777",
            "--rungs",
            "sequential,vectorized",
            "--samples",
            "1",
            "--json",
        ];
        assert!(rows(&arguments).iter().all(|row| row["status"] == "pass"), "{op}");
    }
}

#[test]
fn presets_show_what_was_published() {
    // Short: the documents' own lengths are for the GPU; then the published times, which are for those lengths, stay out.
    for (preset, count) in [("tga", 7), ("csc367", 11), ("exercise", 2), ("opencl", 8)] {
        let rows = rows(&["ladder", "--preset", preset, "--n", "3000", "--samples", "1", "--json"]);
        assert_eq!(rows.len(), count, "{preset}");
        assert!(rows.iter().all(|row| row["preset"] == preset && row["published_ms"].is_null()));
    }
    let rows = rows(&["ladder", "--preset", "csc367", "--samples", "1", "--json"]);
    let published: Vec<_> = rows.iter().filter_map(|row| row["published_ms"].as_f64()).collect();
    assert_eq!(published, [8.054, 3.456, 1.722, 0.965, 0.536, 0.381, 0.268]);
    let bandwidths: Vec<_> = rows.iter().filter_map(|row| row["published_gb_s"].as_f64()).collect();
    assert_eq!(bandwidths, [2.083, 4.854, 9.741, 17.377, 31.289, 43.996, 62.671, 73.0]);
    assert!(rows[..7].iter().all(|row| row["n"] == 4 << 20 && row["status"] == "pass"));
}

#[test]
fn a_back_end_that_is_none_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_halofold"))
        .args(["ladder", "--n", "1k", "--samples", "1"])
        .env("WGPU_BACKEND", "vulkan,nonsense")
        .output()
        .expect("the program starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("no back end `nonsense`") && error.contains("vulkan, metal, dx12"), "{error}");
}

#[test]
fn an_empty_name_of_a_back_end_is_none_and_another_systems_is_told() {
    let with = |names| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_halofold"));
        command.args(["ladder", "--n", "1k", "--samples", "1", "--rungs", "sequential"]);
        command.env("WGPU_BACKEND", names).output().expect("the program starts")
    };
    let usual = with("");
    let text = String::from_utf8_lossy(&usual.stdout);
    assert!(usual.status.success() && !text.contains("is the fastest"), "{text}");
    let other = if cfg!(target_os = "macos") { "dx12" } else { "metal" };
    assert_refused(&with(other), "there is none of that on");
}

#[test]
fn a_preset_says_what_was_run() {
    let arguments = ["ladder", "--preset", "exercise", "--n", "3000", "--samples", "1", "--type", "f32"];
    let text = String::from_utf8_lossy(&halofold(&arguments).stdout).into_owned();
    assert!(text.contains("one CPU thread; here with 3 000 elements, f32\n"), "{text}");
    let exact = halofold(&["ladder", "--rungs", "exact", "--type", "i32", "--n", "1k", "--samples", "1"]);
    let text = String::from_utf8_lossy(&exact.stdout);
    assert!(text.contains("ask for it without exactness") && !text.contains("Accuracy"), "{text}");
}

#[test]
fn shells_and_man_are_served() {
    let bash = halofold(&["completions", "bash"]);
    assert!(bash.status.success() && String::from_utf8_lossy(&bash.stdout).contains("_halofold()"));
    let page = halofold(&["man", "reduce"]);
    let page = String::from_utf8_lossy(&page.stdout);
    assert!(page.contains(".TH halofold-reduce") && page.contains("axis"), "{page}");
    assert_refused(&halofold(&["man", "nosuch"]), "no command `nosuch`");
    let page = halofold(&["man"]);
    assert!(page.status.success() && String::from_utf8_lossy(&page.stdout).contains(".TH halofold"));
}

#[test]
fn devices_say_each_reason_once() {
    let text = String::from_utf8(halofold(&["devices"]).stdout).unwrap();
    // Every adapter has a part of its own.
    for adapter in text.split("\n\n") {
        let reasons: Vec<_> = adapter.lines().filter_map(|line| line.split_once(": not here (")).collect();
        let once: HashSet<_> = reasons.iter().map(|(_, reason)| reason).collect();
        assert_eq!(once.len(), reasons.len(), "{adapter}");
        let lacks_subgroups = adapter.contains("lacks: SUBGROUP");
        assert_eq!(adapter.contains("not here (needs SUBGROUP"), lacks_subgroups, "{adapter}");
    }
    assert!(!text.contains("created without"), "{text}");
}

#[test]
fn tables_and_csv_say_the_same() {
    let table = halofold(&["ladder", "--n", "1000", "--rungs", "tile,single-pass", "--samples", "1"]);
    let table = String::from_utf8(table.stdout).unwrap();
    assert!(
        table.contains("read peak") && table.contains("PASS") && table.contains("is the fastest: "),
        "{table}"
    );
    let csv = halofold(&["ladder", "--n", "1000", "--rungs", "tile,single-pass", "--samples", "1", "--csv"]);
    let csv = String::from_utf8(csv.stdout).unwrap();
    let lines: Vec<_> = csv.lines().collect();
    assert_keys(lines[0].split(','), KEYS);
    assert_eq!(lines.len(), 3);
    assert!(lines[1].starts_with(",,tile,repeat,f32,sum,1000,"), "{}", lines[1]);
}

#[test]
fn a_file_is_reduced_by_every_rung() {
    let path = std::env::temp_dir().join(format!("halofold-cli-{}.npy", std::process::id()));
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (100, 7), }";
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend((0..700i32).flat_map(|x| (x - 350).to_le_bytes()));
    std::fs::write(&path, bytes).unwrap();
    let file = path.to_str().unwrap();
    let rows = rows(&["ladder", "--input", file, "--op", "min", "--json", "--samples", "1"]);
    assert!(rows.iter().all(|row| row["n"] == 700 && row["type"] == "i32"));
    let wrong = halofold(&["ladder", "--input", file, "--type", "f32"]);
    assert_refused(&wrong, "i32");
    std::fs::remove_file(path).unwrap();
}

#[test]
fn devices_are_listed() {
    let output = halofold(&["devices", "--json"]);
    let devices: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(!devices.is_empty());
    for device in &devices {
        assert!(device["types"].as_array().unwrap().iter().any(|name| name == "f32"));
        assert!(device["rungs"].as_array().unwrap().len() >= 17, "{device}");
    }
    let text = String::from_utf8(halofold(&["devices"]).stdout).unwrap();
    assert!(text.contains(devices[0]["name"].as_str().unwrap()) && text.contains("subgroups"));
}

/// Exit status 2, nothing on standard output, and a message with this in it.
fn assert_refused(output: &Output, expected: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(output.stdout.is_empty());
    assert!(errors.contains(expected), "{errors}");
}

#[test]
fn what_cannot_be_is_refused() {
    let cases: [(&[&str], &str); 14] = [
        (&["ladder", "--rungs", "sequentiel"], "single-pass"),
        (&["ladder", "--preset", "harris"], "tga, csc367, exercise, opencl"),
        (&["ladder", "--type", "f33"], "f16"),
        (&["ladder", "--op", "median"], "wide-product"),
        (&["ladder", "--finish", "never"], "last-workgroup"),
        (&["ladder", "--adapter", "abacus"], "the adapters are"),
        (&["ladder", "--adapter", "99"], "the adapters are"),
        (&["ladder", "--workgroup", "100"], "power of two"),
        (&["ladder", "--workgroup", "4096"], "max_compute_invocations_per_workgroup"),
        (&["ladder", "--preset", "tga", "--workgroup", "3"], "power of two"),
        (&["ladder", "--n", "2^40"], "max_buffer_size"),
        (&["ladder", "--n", "many"], "2^24"),
        (&["ladder", "--input", "no-such-file.npy"], "no-such-file.npy"),
        (&["ladder", "--op", "wide-sum"], "not defined for f32"),
    ];
    for (arguments, expected) in cases {
        assert_refused(&halofold(arguments), expected);
    }
}

#[test]
fn no_adapter_says_what_to_install() {
    let output = Command::new(env!("CARGO_BIN_EXE_halofold"))
        .arg("ladder")
        .env("WGPU_BACKEND", "vulkan")
        .env("VK_DRIVER_FILES", "/nonexistent/driver.json")
        .env("VK_ICD_FILENAMES", "/nonexistent/driver.json")
        .output()
        .expect("the program starts");
    // macOS and Windows have no Vulkan to take away.
    assert_refused(&output, "mesa-vulkan-drivers");
}

#[test]
fn a_type_the_adapter_lacks_names_the_feature() {
    let devices = halofold(&["devices", "--json"]);
    let devices: Vec<Value> = serde_json::from_slice(&devices.stdout).expect("JSON");
    let types = devices[0]["types"].as_array().unwrap();
    for (name, feature) in [("f64", "SHADER_F64"), ("i64", "SHADER_INT64"), ("f16", "SHADER_F16")] {
        let arguments = [
            "ladder",
            "--adapter",
            "0",
            "--type",
            name,
            "--n",
            "100",
            "--rungs",
            "sequential",
            "--samples",
            "1",
        ];
        let output = halofold(&arguments);
        if types.iter().any(|known| known == name) {
            assert_eq!(output.status.code(), Some(0), "{name}");
        } else {
            assert_refused(&output, feature);
        }
    }
}

#[test]
fn a_closed_pipe_is_quiet() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_halofold"))
        .args(["ladder", "--n", "100", "--samples", "1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(!errors.contains("panicked") && !errors.contains("pipe"), "{errors}");
}
