//! NumPy writes the files, and halofold's results are compared with its own.

use std::process::Command;

use halofold::Element;
use halofold::reduce::Op;
use serde_json::Value as Json;

use super::{few, names, of_one_input, runnable, tolerance};
use crate::files::python::python;
use crate::files::{Folder, dtype, npy, reduce as run, rows, stdout};
use crate::number::{Number, close, flattened};

/// Writes arrays of every type, both orders and one to four dimensions, and NumPy's results along each axis.
const NUMPY: &str = include_str!("arrays.py");

/// Asserts that an array has the type, the shape and the values that NumPy itself gives.
const COMPARE: &str = include_str!("compare.py");

#[test]
fn agrees_with_numpy_along_every_axis() {
    let Some(python) = python() else { return };
    let folder = Folder::new("reduce-axis-numpy");
    let written = Command::new(python).args(["-c", NUMPY, folder.0.to_str().unwrap()]).output().unwrap();
    let written = rows(&written);
    assert_eq!(written.len(), 7 * 2 * 4);
    for element in Element::ALL {
        let ops = of_one_input(element);
        let few = few(&ops);
        if few.is_empty() {
            continue;
        }
        let dimensions = |file: &Json| file["axes"].as_array().unwrap().len();
        for (axis, ops) in [(-1, &ops), (0, &few), (1, &few), (-2, &few)] {
            let has = |file: &&Json| {
                let dimensions = dimensions(file) as i64;
                file["dtype"] == dtype(element).as_str() && (-dimensions..dimensions).contains(&axis)
            };
            let files: Vec<_> = written.iter().filter(has).collect();
            let names_of: Vec<_> = files.iter().map(|file| file["files"][0].as_str().unwrap()).collect();
            let axis_text = axis.to_string();
            let options = ["--axis", &axis_text, "--op", &names(ops), "--json"];
            let rows = rows(&run(&[&names_of[..], &options].concat()));
            for (file, rows) in files.iter().zip(rows.chunks(ops.len())) {
                let axis = axis.rem_euclid(dimensions(file) as i64) as usize;
                compare_with_numpy(file, axis, ops, rows, element);
            }
        }
        // A dot product has a second input for its only one.
        let pair =
            written.iter().find(|file| file["dtype"] == dtype(element).as_str() && dimensions(file) == 3);
        let pair = pair.filter(|_| runnable(element).contains(&Op::Dot));
        for (axis, file) in pair.iter().flat_map(|file| (0..3).map(move |axis| (axis, file))) {
            let name = |k: usize| file["files"][k].as_str().unwrap();
            let axis_text = axis.to_string();
            let output = run(&[name(0), "--with", name(1), "--axis", &axis_text, "--op", "dot", "--json"]);
            compare_with_numpy(file, axis, &[Op::Dot], &rows(&output), element);
        }
    }
}

fn compare_with_numpy(file: &Json, axis: usize, ops: &[Op], rows: &[Json], element: Element) {
    for (op, row) in ops.iter().zip(rows) {
        let Some(want) = file["axes"][axis].get(op.name()) else { continue };
        let key = if matches!(op, Op::ArgMin | Op::ArgMax) { "index" } else { "value" };
        let what = format!("{op} of {} along {axis}", file["files"][0]);
        let (got, want) = (flattened(&row[key]), flattened(want));
        if *op == Op::Mean && !element.is_float() {
            // Positive and negative integers cancel, which NumPy rounds.
            let most = file["scale"].as_f64().unwrap() * 1e-12;
            let near = |(a, b): (&Number, &Number)| (a.as_f64() - b.as_f64()).abs() <= most;
            assert!(got.len() == want.len() && got.iter().zip(&want).all(near), "{what}: {got:?}, {want:?}");
        } else {
            close(&got, &want, tolerance(*op, element), &what);
        }
    }
}

#[test]
fn numpy_loads_what_is_written() {
    let Some(python) = python() else { return };
    let folder = Folder::new("reduce-axis-load");
    let data: Vec<u8> = (0..120i32).flat_map(|x| (x * 37 % 121 - 60).to_le_bytes()).collect();
    for fortran in [false, true] {
        let file = folder.write("a.npy", &npy("<i4", fortran, &[4, 5, 6], &data));
        for op in ["sum", "std", "arg-max", "any", "count"] {
            for axis in ["0", "1", "-1"] {
                let out = folder.path("out.npy");
                stdout(&run(&[&file, "--op", op, "--axis", axis, "-o", &out, "--piece", "128"]));
                stdout(&Command::new(python).args(["-c", COMPARE, &file, &out, op, axis]).output().unwrap());
            }
        }
    }
}

#[test]
fn several_axes_are_numpys() {
    let Some(python) = python() else { return };
    let folder = Folder::new("reduce-axis-several");
    let data: Vec<u8> = (0..360i32).flat_map(|x| (x * 37 % 361 - 180).to_le_bytes()).collect();
    let out = folder.path("out.npy");
    let cases = [
        ("0,2", "sum", "64Mi", false),
        ("-1,1", "std", "320", true),
        ("3,0", "count", "128", false),
        ("1,2", "sum", "128", true),
        ("all", "std", "128", true),
    ];
    for (fortran, (axes, op, piece, keeps)) in
        cases.into_iter().flat_map(|case| [(false, case), (true, case)])
    {
        let file = folder.write("a.npy", &npy("<i4", fortran, &[4, 5, 6, 3], &data));
        let keeps = keeps.then_some("--keepdims");
        let args = [&file, "--op", op, "--axis", axes, "-o", &out, "--piece", piece, "--verify"];
        stdout(&run(&[&args[..], keeps.as_slice()].concat()));
        let args = ["-c", COMPARE, &file, &out, op, axes];
        stdout(&Command::new(python).args(args).args(keeps).output().unwrap());
    }
}
