//! `halofold reduce`, `histogram` and `scan`: their values are NumPy's, their text, JSON and CSV are documented.

mod output;
mod own;

use std::process::Command;

use halofold::wgpu::DeviceType;

use crate::files::python::python;
use crate::files::{Folder, preferred};

/// Compares a set of results with NumPy's.
fn compare(set: &str) {
    let Some(found) = python() else { return };
    let folder = Folder::new(&format!("numpy-{set}"));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/program/reduce/beside_numpy.py");
    let is_all = std::env::var("HALOFOLD_TESTS").is_ok_and(|tests| tests == "all");
    // Each run compiles for a second on a software adapter. A prime, so that no axis or form of the loops is left out everywhere.
    let is_software = preferred().get_info().device_type == DeviceType::Cpu;
    let step = if is_software && !is_all { "7" } else { "1" };
    let run = Command::new(found)
        .args([script, env!("CARGO_BIN_EXE_halofold"), folder.0.to_str().unwrap(), set, step])
        .output();
    let run = run.unwrap();
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{text}{}", String::from_utf8_lossy(&run.stderr));
    assert!(!text.starts_with("0 "), "{text}");
    println!("{text}");
}

#[test]
fn axes_are_numpys() {
    compare("axes");
}

#[test]
fn kept_elements_are_numpys() {
    compare("kept");
}

#[test]
fn groups_are_numpys() {
    compare("groups");
}

#[test]
fn ranks_are_numpys() {
    compare("ranks");
}

#[test]
fn histograms_and_scans_are_numpys() {
    compare("others");
}
