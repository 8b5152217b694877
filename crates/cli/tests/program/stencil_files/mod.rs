//! `halofold stencil`, run as a program on files that are written here, against the CPU's reference.
//!
//! On small integers and weights that are powers of two every order of additions is exact, so those results are
//! compared to the bit. The adapter is whatever the environment gives; a type that it lacks has to come out as an error.

mod cells;
mod pictures;
mod tuned;
mod until;

use std::process::Command;

use self::cells::{Cells, array, report};
use crate::files::python::python;
use crate::files::{Folder, command, dtype, npy, refused, run_on, stdout, stencil as run};
use halofold::Element;
use halofold::stencil::{Border, FIVE_POINT, TWENTY_SEVEN_POINT, Weights};

const FLOATS: [Element; 3] = [Element::F32, Element::F64, Element::F16];
const BORDERS: [Border; 3] = [Border::Fixed, Border::Reflect, Border::Wrap];

#[test]
fn every_border_and_type_is_exact_on_every_adapter() {
    let folder = Folder::new("stencil-exact");
    let out = folder.path("out.npy");
    for (stencil, weights) in [(&FIVE_POINT, "0.25"), (&TWENTY_SEVEN_POINT, "0.125,0.0625,0.03125,0.015625")]
    {
        let cells = Cells::integers(stencil);
        for element in FLOATS {
            let file = folder.write("in.npy", &cells.file(&dtype(element)));
            // 16 bits hold one step of them exactly.
            let steps = if element == Element::F16 { "1" } else { "2" };
            for border in BORDERS {
                let options = ["--boundary", border.name(), "--coefficients", weights, "--steps", steps];
                let output = run(&[&[&file[..]], &options[..], &["-o", &out, "--json"]].concat());
                let missing = element.feature() - crate::files::features();
                if !missing.is_empty() {
                    let feature = halofold::adapter::feature_names(missing);
                    refused(&output, &[&file, &feature, "--type f32"]);
                    continue;
                }
                let report = report(&output);
                assert_eq!((&report["type"], &report["output"]), (&element.name().into(), &out[..].into()));
                let shape = cells.shape().iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                let expected = cells.stepped(border, stencil.dyadic, steps.parse().unwrap());
                assert_eq!(array(&out), (format!("<{}", dtype(element)), shape, expected), "{border:?}");
            }
        }
    }
}

#[test]
fn the_report_says_what_was_done() {
    let folder = Folder::new("stencil-report");
    let cells = Cells::integers(&TWENTY_SEVEN_POINT);
    let file = folder.write("in.npy", &cells.file("f4"));
    let kernel = ["--variant", "sol-smem", "--block", "4x16"];
    let options = ["--boundary", "reflect", "--steps", "5", "--json"];
    let report = report(&run(&[&[&file[..]], &kernel[..], &options].concat()));
    let expected = serde_json::json!({
        "file": file, "variant": "sol-smem", "points": 27, "grid": "5x9x11", "block": "4x16",
        "boundary": "reflect", "steps": 5, "type": "f32", "residual_max": null, "residual_l2": null,
        "converged": null, "output": null,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&report[key], value, "{key}");
    }
    assert!(report["wall_ms"].as_f64().unwrap() > 0.0 && report["gcells_per_s"].as_f64().unwrap() > 0.0);
    assert!(report["gpu_ms_median"].is_null() || report["gpu_ms_median"].as_f64().unwrap() > 0.0);
    let text = stdout(&run(&[&file, "--steps", "3"]));
    assert!(
        text.contains("5 × 9 × 11 f32, 27 points by plane-sums") && text.contains("\n3 steps: "),
        "{text}"
    );
}

#[test]
fn integers_become_floats() {
    let folder = Folder::new("stencil-integers");
    let out = folder.path("out.npy");
    for (from, extreme) in [("i1", -128.0), ("u2", 65535.0), ("i8", -65536.0), ("u8", 4294967040.0)] {
        let mut cells = Cells::integers(&FIVE_POINT);
        cells.values.iter_mut().for_each(|value| *value = value.abs());
        cells.values[77] = extreme;
        let expected = cells.stepped(Border::Reflect, Weights::new(&[0.25; 4]), 1);
        let options = ["-", "--boundary", "reflect", "--weights", "0.25", "--steps", "1", "-o", &out];
        let output = run_on(&mut command("stencil", &options), &cells.file(from));
        stdout(&output);
        assert!(String::from_utf8_lossy(&output.stderr).contains("integers become f32"));
        let (kind, shape, values) = array(&out);
        assert_eq!((&kind[..], &shape[..]), ("<f4", "13, 37"));
        for (got, expected) in values.iter().zip(&expected) {
            let bound = expected.abs() * f64::from(f32::EPSILON);
            assert!((got - expected).abs() <= bound, "{from}: {got}, {expected}");
        }
    }
}

#[test]
fn borders_are_those_of_numpy_and_scipy() {
    let Some(python) = python() else { return };
    let folder = Folder::new("stencil-numpy");
    let out = folder.path("out.npy");
    for (shape, side) in [(&[4, 7][..], 3), (&[5, 9], 5), (&[11, 6], 5), (&[4, 5, 6], 3)] {
        let whole = |count: usize| {
            (0..count).flat_map(|at| ((at * 7 % 13) as f64 - 5.0).to_le_bytes()).collect::<Vec<_>>()
        };
        let square = vec![side; shape.len()];
        let grid = folder.write("grid.npy", &npy("<f8", false, shape, &whole(shape.iter().product())));
        let weights =
            folder.write("weights.npy", &npy("<f8", false, &square, &whole(square.iter().product())));
        for boundary in ["reflect", "mirror", "wrap", "constant=2.5"] {
            let options = ["--weights", &weights, "--boundary", boundary, "--type", "f32", "-o", &out];
            let options = [&options[..], &["--steps", "1"]].concat();
            stdout(&run(&[&[&grid[..]], &options[..]].concat()));
            let script = include_str!("correlate.py");
            let compared =
                Command::new(python).args(["-c", script, &grid, &weights, boundary, &out]).output().unwrap();
            assert!(
                compared.status.success(),
                "{shape:?} {boundary}: {}",
                String::from_utf8_lossy(&compared.stderr)
            );
        }
    }
}

#[test]
fn zero_steps_copy_the_grid() {
    let folder = Folder::new("stencil-copy");
    let cells = Cells::integers(&FIVE_POINT);
    let bytes = cells.file("f4");
    let file = folder.write("in.npy", &bytes);
    let out = folder.path("out.npy");
    let report = report(&run(&[&file, "--steps", "0", "-o", &out, "--json"]));
    assert_eq!(report["steps"], 0);
    assert!(report["gpu_ms_median"].is_null() && report["gcells_per_s"].is_null());
    assert_eq!(array(&out), ("<f4".to_owned(), "13, 37".to_owned(), cells.values));
    // Big-endian, the first dimension fastest.
    let bytes: Vec<u8> = [0f32, 3.0, 1.0, 4.0, 2.0, 5.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    let file = folder.write("other.npy", &npy(">f4", true, &[2, 3], &bytes));
    stdout(&run(&[&file, "--steps", "0", "-o", &out]));
    assert_eq!(array(&out).2, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}

#[test]
fn a_grid_that_does_not_fit_names_the_limit() {
    // Only the header: nothing is read before it is known to fit.
    for (shape, parts) in [
        ([1 << 24, 1 << 24], &["16777216 × 16777216 f32", "1125899906842624 bytes", "holds", "GPUs"][..]),
        ([1, 1 << 33], &["2^32"]),
    ] {
        let header = npy("<f4", false, &shape, &[]);
        refused(&run_on(&mut command("stencil", &["-", "--steps", "1"]), &header), parts);
    }
}
