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
use crate::files::{Folder, assert_has, command, dtype, npy, refused, run_on, stdout};
use halofold::Element;
use halofold::stencil::{Border, FIVE_POINT, TWENTY_SEVEN_POINT, Weights};

const FLOATS: [Element; 3] = [Element::F32, Element::F64, Element::F16];
const BORDERS: [Border; 3] = [Border::Fixed, Border::Reflect, Border::Wrap];

#[test]
fn every_border_and_type_is_exact_on_every_adapter() {
    let folder = Folder::new("stencil-exact");
    for (stencil, weights) in [(&FIVE_POINT, "0.25"), (&TWENTY_SEVEN_POINT, "0.125,0.0625,0.03125,0.015625")]
    {
        let cells = Cells::integers(stencil);
        for element in FLOATS {
            folder.write("in.npy", &cells.file(&dtype(element)));
            // 16 bits hold one step of them exactly.
            let steps = if element == Element::F16 { "1" } else { "2" };
            for border in BORDERS {
                let options =
                    format!("--boundary {} --coefficients {weights} --steps {steps}", border.name());
                let output = folder.run(&format!("stencil in.npy {options} -o out.npy --json"));
                let missing = element.feature() - crate::files::features();
                if !missing.is_empty() {
                    let feature = halofold::adapter::feature_names(missing);
                    refused(&output, &["in.npy", &feature, "--type f32"]);
                    continue;
                }
                let report = report(&output);
                assert_eq!([&report["type"], &report["output"]], [element.name(), "out.npy"]);
                let shape = cells.shape().iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
                let expected = cells.stepped(border, stencil.dyadic, steps.parse().unwrap());
                let written = array(&folder.path("out.npy"));
                assert_eq!(written, (format!("<{}", dtype(element)), shape, expected), "{border:?}");
            }
        }
    }
}

#[test]
fn the_report_says_what_was_done() {
    let folder = Folder::new("stencil-report");
    let cells = Cells::integers(&TWENTY_SEVEN_POINT);
    folder.write("in.npy", &cells.file("f4"));
    let options = "--variant sol-smem --block 4x16 --boundary reflect --steps 5 --json";
    let report = report(&folder.run(&format!("stencil in.npy {options}")));
    let expected = serde_json::json!({
        "file": "in.npy", "variant": "sol-smem", "points": 27, "grid": "5x9x11", "block": "4x16",
        "boundary": "reflect", "steps": 5, "type": "f32", "residual_max": null, "residual_l2": null,
        "converged": null, "output": null,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&report[key], value, "{key}");
    }
    assert!(report["wall_ms"].as_f64().unwrap() > 0.0 && report["gcells_per_s"].as_f64().unwrap() > 0.0);
    assert!(report["gpu_ms_median"].is_null() || report["gpu_ms_median"].as_f64().unwrap() > 0.0);
    let text = folder.fine("stencil in.npy --steps 3");
    assert_has(&text, &["5 × 9 × 11 f32, 27 points by plane-sums", "\n3 steps: "]);
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
    for (shape, side) in [(&[4, 7][..], 3), (&[5, 9], 5), (&[11, 6], 5), (&[4, 5, 6], 3)] {
        let whole = |count: usize| {
            (0..count).flat_map(|at| ((at * 7 % 13) as f64 - 5.0).to_le_bytes()).collect::<Vec<_>>()
        };
        let square = vec![side; shape.len()];
        for (name, shape) in [("grid.npy", shape), ("weights.npy", &square)] {
            folder.write(name, &npy("<f8", false, shape, &whole(shape.iter().product())));
        }
        for boundary in ["reflect", "mirror", "wrap", "constant=2.5"] {
            let options = format!("--weights weights.npy --boundary {boundary} --type f32 --steps 1");
            folder.fine(&format!("stencil grid.npy {options} -o out.npy"));
            let script = include_str!("correlate.py");
            let args = ["-c", script, "grid.npy", "weights.npy", boundary, "out.npy"];
            let compared = Command::new(python).args(args).current_dir(&folder.0).output().unwrap();
            let errors = String::from_utf8_lossy(&compared.stderr);
            assert!(compared.status.success(), "{shape:?} {boundary}: {errors}");
        }
    }
}

#[test]
fn zero_steps_copy_the_grid() {
    let folder = Folder::new("stencil-copy");
    let cells = Cells::integers(&FIVE_POINT);
    folder.write("in.npy", &cells.file("f4"));
    let out = folder.path("out.npy");
    let report = report(&folder.run("stencil in.npy --steps 0 -o out.npy --json"));
    assert_eq!(report["steps"], 0);
    assert!(report["gpu_ms_median"].is_null() && report["gcells_per_s"].is_null());
    assert_eq!(array(&out), ("<f4".to_owned(), "13, 37".to_owned(), cells.values));
    // Big-endian, the first dimension fastest.
    let bytes: Vec<u8> = [0f32, 3.0, 1.0, 4.0, 2.0, 5.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    folder.write("in.npy", &npy(">f4", true, &[2, 3], &bytes));
    folder.fine("stencil in.npy --steps 0 -o out.npy");
    assert_eq!(array(&out).2, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
}
