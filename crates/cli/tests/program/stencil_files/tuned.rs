//! `halofold tune`, and the choice of a kernel by its times.

use std::fs;

use serde_json::Value;

use super::cells::report;
use crate::files::{Folder, command, names_in, npy, stdout};

/// The calibration with other times: this variant took long, the others did not.
fn rewritten(calibration: &Value, slow: &str) -> String {
    let mut calibration = calibration.clone();
    for sample in calibration["samples"].as_array_mut().expect("samples") {
        sample["ns"] = if sample["variant"] == slow { 1e12 } else { 1e6 }.into();
    }
    calibration.to_string()
}

#[test]
fn the_kernel_is_chosen_by_what_was_measured() {
    let folder = Folder::new("stencil-tuned");
    let cache = folder.path("cache");
    // The folder of an earlier run of this test.
    let _ = fs::remove_dir_all(&cache);
    let program = |name, args: &[&str]| command(name, args).env("XDG_CACHE_HOME", &cache).output().unwrap();
    let grid = folder.write("grid.npy", &npy("<f4", false, &[512, 512], &[0; 512 * 512 * 4]));
    let chosen = || {
        let report = report(&program("stencil", &[&grid, "--steps", "16", "--json"]));
        report["variant"].as_str().expect("a variant").to_owned()
    };
    let unmeasured = chosen();

    let printed = stdout(&program("tune", &["--stencil", "5"]));
    let mut names = names_in(format!("{cache}/halofold")).into_iter();
    let file = names.find(|name| name.ends_with(".json")).expect("a file for this adapter");
    let file = format!("{cache}/halofold/{file}");
    assert!(printed.contains(&file), "{printed}");
    let calibration: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let samples = calibration["samples"].as_array().expect("samples");
    for variant in ["register-rows", "time-pipeline"] {
        let times: Vec<_> = samples
            .iter()
            .filter(|sample| sample["variant"] == variant)
            .map(|sample| sample["ns"].as_f64())
            .collect();
        let are_times = times.iter().all(|ns| ns.is_some_and(|ns| ns > 0.0));
        assert!(!times.is_empty() && are_times, "{variant}: {times:?}");
    }

    fs::write(&file, rewritten(&calibration, "time-pipeline")).unwrap();
    assert_eq!(chosen(), "register-rows");
    fs::write(&file, rewritten(&calibration, "register-rows")).unwrap();
    assert_eq!(chosen(), "time-pipeline");
    // A file that cannot be read counts as none.
    let slow = if unmeasured == "time-pipeline" { "time-pipeline" } else { "register-rows" };
    fs::write(&file, rewritten(&calibration, slow)).unwrap();
    assert_ne!(chosen(), unmeasured);
    fs::write(&file, "{").unwrap();
    assert_eq!(chosen(), unmeasured);
}
