//! `halofold stencil`, run as a program on files that are written here. The adapter is whatever the environment gives; a type that it lacks has
//! to come out as an error.

mod cells;
mod pictures;
mod tuned;
mod until;

use std::process::Command;

use self::cells::{Cells, array, report};
use crate::files::python::python;
use crate::files::{Folder, assert_has, command, dtype, npy, preferred, refused, run_on, stdout};
use halofold::Element;
use halofold::stencil::{FIVE_POINT, TWENTY_SEVEN_POINT};

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
fn types_are_kept_converted_or_refused() {
    let folder = Folder::new("stencil-types");
    let out = folder.path("out.npy");
    let copied = |from: &str, cells: &Cells| {
        let mut command = command("stencil", &["-", "--steps", "0", "-o", &out]);
        run_on(&mut command, &cells.file(from))
    };
    for (from, extreme) in [("i1", -128.0), ("u2", 65535.0), ("i8", -65536.0), ("u8", 4294967040.0)] {
        let mut cells = Cells::integers(&FIVE_POINT);
        cells.values.iter_mut().for_each(|value| *value = value.abs());
        cells.values[77] = extreme;
        let output = copied(from, &cells);
        stdout(&output);
        assert!(String::from_utf8_lossy(&output.stderr).contains("integers become f32"));
        assert_eq!(array(&out), ("f4", vec![13, 37], cells.values), "{from}");
    }
    let cells = Cells::integers(&TWENTY_SEVEN_POINT);
    for element in [Element::F32, Element::F64, Element::F16] {
        let output = copied(&dtype(element), &cells);
        let missing = element.feature() - preferred().features();
        if missing.is_empty() {
            stdout(&output);
            assert_eq!(array(&out), (&dtype(element)[..], vec![5, 9, 11], cells.values.clone()));
        } else {
            refused(&output, &[&halofold::adapter::feature_names(missing), "--type f32"]);
        }
    }
    // Big-endian, the first dimension fastest.
    let bytes: Vec<u8> = [0f32, 3.0, 1.0, 4.0, 2.0, 5.0].iter().flat_map(|x| x.to_be_bytes()).collect();
    folder.write("in.npy", &npy(">f4", true, &[2, 3], &bytes));
    let report = report(&folder.run("stencil in.npy --steps 0 -o out.npy --json"));
    assert!(report["steps"] == 0 && report["gpu_ms_median"].is_null() && report["gcells_per_s"].is_null());
    assert_eq!(array(&out).2, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
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
