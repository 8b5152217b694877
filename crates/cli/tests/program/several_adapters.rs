//! `halofold --adapters`: one adapter, named several times, is several devices. Results of several have the bits of one.
//!
//! OpenGL has one device at a time: there it is one adapter in a list, which goes the same ways.

use std::fs;

use crate::files::{Folder, npy, parsed, reduce, refused, stencil};
use halofold::wgpu::Backend;
use serde_json::Value;

fn is_gl() -> bool {
    crate::files::preferred().get_info().backend == Backend::Gl
}

/// The preferred adapter, this many times.
pub fn times(count: usize) -> String {
    vec!["0"; if is_gl() { 1 } else { count }].join(",")
}

/// A grid of numbers that no sum hits exactly.
fn grid(shape: &[usize]) -> Vec<u8> {
    let count = shape.iter().product::<usize>() as u32;
    let cells =
        (0..count).map(|cell| (cell.wrapping_mul(2_654_435_769) >> 8) as f32 / (1 << 22) as f32 - 1.7);
    npy("<f4", false, shape, &cells.flat_map(f32::to_le_bytes).collect::<Vec<_>>())
}

#[test]
fn grids_in_slabs_are_those_of_one_adapter() {
    let folder = Folder::new("several-grids");
    for shape in [&[67, 40][..], &[23, 9, 12]] {
        let input = folder.write("grid.npy", &grid(shape));
        for boundary in ["fixed", "reflect", "mirror", "wrap", "constant=2"] {
            let output = |name: &str, more: &[&str]| {
                let output = folder.path(name);
                let args = [&input, "--steps", "19", "--boundary", boundary, "-o", &output, "--json"];
                let report: Value = parsed(&stencil(&[&args[..], more].concat()));
                (fs::read(&output).unwrap(), report)
            };
            let (one, _) = output("one.npy", &["--adapter", "0"]);
            for (more, used) in
                [(&["--adapters", &times(3), "--halo", "5"][..], 3), (&["--adapters", &times(2)], 2)]
            {
                let (several, report) = output("several.npy", more);
                assert!(one == several, "{shape:?} {boundary} {more:?}");
                let layers = report["layers"].as_array().unwrap();
                let counts = layers.iter().map(|count| count.as_u64().unwrap());
                assert_eq!(counts.sum::<u64>(), shape[0] as u64);
                assert_eq!(report["steps"], 19);
                let used = if is_gl() { 1 } else { used };
                assert_eq!(layers.len(), used);
                assert_eq!(report["adapter"].as_str().unwrap().split(" + ").count(), used);
            }
        }
    }
}

#[test]
fn runs_stop_at_the_same_step() {
    let folder = Folder::new("several-until");
    let input = folder.write("grid.npy", &grid(&[40, 31]));
    let stopped = |until: &str, more: &[&str]| {
        let args = [&input, "--until", until, "--norm", "l2", "--every", "7", "--json"];
        let mut report: Value = parsed(&stencil(&[&args[..], more].concat()));
        ["steps", "residual_max", "residual_l2", "converged"].map(|key| report[key].take())
    };
    let one = stopped("1e-3", &["--adapter", "0"]);
    assert_eq!(one[3], true);
    // A close call: what the last check found is not less than itself, but less than the next number.
    let found = one[2].as_f64().unwrap();
    for until in [1e-3, found, found.next_up()].map(|until| format!("{until:e}")) {
        let one = stopped(&until, &["--adapter", "0"]);
        for more in [&["--adapters", &times(2), "--halo", "4"][..], &["--adapters", &times(3)]] {
            assert_eq!(stopped(&until, more), one, "{until} {more:?}");
        }
    }
}

#[test]
fn impossible_requests_are_refused_with_the_reason() {
    const OPENGL: &str = "through OpenGL";
    let folder = Folder::new("several-refused");
    let input = folder.write("grid.npy", &grid(&[20, 31]));
    for (args, said) in [
        (&["--adapters", "0,99"][..], "unknown adapter `99`"),
        (
            &["--adapters", "0,0", "--halo", "11"],
            if is_gl() { OPENGL } else { "use fewer GPUs or a smaller halo" },
        ),
        (&["--adapters", "0,0", "--halo", "0"], "--halo"),
        (&["--halo", "3"], "--adapters"),
        (&["--adapters", "0", "--adapter", "0"], "--adapter"),
        (&["--adapter", "all"], "--adapters all,"),
        (&["--adapter", "0,0"], "--adapters 0,0,"),
    ] {
        refused(&stencil(&[&[input.as_str(), "--steps", "1"][..], args].concat()), &[said]);
    }
    if is_gl() {
        refused(&reduce(&[&input, "--adapters", "0,0"]), &[OPENGL]);
    }
}
