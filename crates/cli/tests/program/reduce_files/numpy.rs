//! NumPy writes the files, and halofold's results are compared with its own.

use std::process::Command;

use halofold::Element;

use super::runnable;
use crate::files::python::python;
use crate::files::{Folder, dtype, reduce, rows};
use crate::number::Number;

/// Writes files of every type and layout, and NumPy's results of each.
const NUMPY: &str = include_str!("arrays.py");

/// Tolerance between NumPy and halofold: both round floats, in different orders, and NumPy keeps 16-bit results in
/// 16 bits.
///
/// `scale` is the mean of the magnitudes.
fn tolerance(op: &str, element: Element, n: f64, scale: f64, value: f64) -> f64 {
    let unit = match element {
        Element::F16 => 1.0 / 1024.0,
        Element::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    };
    match (op, element.is_float()) {
        ("mean", _) => 16.0 * unit * scale,
        (_, false) | ("min" | "max", _) => 0.0,
        ("sum", _) => 16.0 * unit * n * scale,
        _ => 2.0 * n * unit * value.abs(),
    }
}

#[test]
fn agrees_with_numpy() {
    let Some(found) = python() else { return };
    let python = |args: &[&str]| Command::new(found).args(args).output();
    let folder = Folder::new("reduce-numpy");
    let written = rows(&python(&["-c", NUMPY, folder.0.to_str().unwrap()]).unwrap());
    for element in Element::ALL {
        let ops = runnable(element);
        let files: Vec<_> = written.iter().filter(|file| file["dtype"] == dtype(element).as_str()).collect();
        assert_eq!(files.len(), 20);
        if ops.is_empty() {
            continue;
        }
        let names = files.iter().map(|file| file["file"].as_str().unwrap());
        let args: Vec<_> = names.chain(["--json", "--verify", "--op"]).collect();
        let rows = rows(&reduce(&[&args[..], &[&ops.join(",")]].concat()));
        assert_eq!(rows.len(), files.len() * ops.len());
        for (row, file) in
            rows.chunks(ops.len()).zip(files).flat_map(|(rows, file)| rows.iter().map(move |row| (row, file)))
        {
            let op = row["op"].as_str().unwrap();
            assert_eq!(row["n"], file["n"]);
            let (got, numpy) = (Number::of_json(&row["value"]), Number::of_json(&file[op]));
            let [n, scale] = ["n", "scale"].map(|key| file[key].as_f64().unwrap());
            let within = tolerance(op, element, n, scale, numpy.as_f64());
            let close = (got.as_f64() - numpy.as_f64()).abs() <= within;
            assert!(
                got.same(numpy) || (within > 0.0 && close),
                "{op} of {}: {got:?}, NumPy {numpy:?}",
                file["file"]
            );
        }
    }
}
