//! Runs that stop once a step changes little.

use halofold::Element;
use halofold::stencil::{Border, FIVE_POINT, STENCILS};
use serde_json::Value;

use super::cells::{Cells, array, report};
use crate::files::{self, Folder, assert_has, stdout};
use crate::several_adapters::times;

/// Steps until a check, made after every `every` of them, finds no change of `epsilon`; the change, and the cells.
fn converged(cells: &Cells, border: Border, every: u32, epsilon: f64) -> (u32, f64, Vec<f64>) {
    let weights = cells.stencil.usual;
    let mut before = cells.values.clone();
    for step in 1.. {
        let now = Cells { values: before.clone(), ..cells.clone() }.stepped(border, weights, 1);
        let change = now.iter().zip(&before).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()));
        if step % every == 0 && change < epsilon {
            return (step, change, now);
        }
        before = now;
    }
    unreachable!("averages converge")
}

/// Asserts that the cells that a run wrote are nearly these.
fn assert_close(folder: &Folder, expected: &[f64]) {
    for (got, expected) in array(&folder.path("out.npy")).2.iter().zip(expected) {
        assert!((got - expected).abs() < 1e-4, "{got}, expected {expected}");
    }
}

#[test]
fn a_run_ends_when_little_changes() {
    let folder = Folder::new("stencil-until");
    for &stencil in STENCILS {
        let cells = Cells::integers(stencil);
        folder.write("in.npy", &cells.file("f4"));
        for (every, epsilon) in [(10, "1e-3"), (7, "1e-2"), (1, "2e-3")] {
            let (steps, change, expected) = converged(&cells, Border::Fixed, every, epsilon.parse().unwrap());
            let options = format!("--stencil {} --until {epsilon} --every {every}", stencil.name);
            let report = report(&folder.run(&format!("stencil in.npy {options} -o out.npy --json")));
            assert_eq!((&report["steps"], &report["converged"]), (&steps.into(), &true.into()));
            let residual = report["residual_max"].as_f64().unwrap();
            assert!((residual - change).abs() < 1e-5, "{residual}, expected {change}");
            assert!(report["residual_l2"].as_f64().unwrap() >= residual);
            assert_close(&folder, &expected);
        }
    }
}

#[test]
fn the_norm_may_be_l2_and_exact() {
    let folder = Folder::new("stencil-until-l2");
    folder.write("in.npy", &Cells::integers(&FIVE_POINT).file("f4"));
    let run = |options: &str| folder.run(&format!("stencil in.npy --until 1e-2 --every 5 {options}"));
    let [fast, exact] = ["", "--exact"].map(|more| report(&run(&format!("--norm l2 --json {more}"))));
    let l2 = |report: &Value| report["residual_l2"].as_f64().unwrap();
    assert!(fast["converged"] == true && fast["steps"] == exact["steps"], "{fast} {exact}");
    assert!(l2(&exact) < 1e-2 && (l2(&fast) / l2(&exact) - 1.0).abs() < 1e-5, "{fast} {exact}");
    if files::features().contains(Element::F64.feature()) {
        let wide = report(&run("--norm l2 --json --exact --type f64"));
        assert!(wide["converged"] == true && (l2(&wide) / l2(&exact) - 1.0).abs() < 1e-3, "{wide} {exact}");
    }
    assert_has(&stdout(&run("--norm l2")), &["\nconverged: ", " in the L2 norm\n"]);
    // The largest change is smaller long before.
    let largest = report(&run("--json"));
    assert!(largest["steps"].as_u64() < fast["steps"].as_u64(), "{largest} {fast}");
}

#[test]
fn a_run_that_does_not_converge_has_a_status_of_its_own() {
    let folder = Folder::new("stencil-until-not");
    let mut cells = Cells::integers(&FIVE_POINT);
    folder.write("in.npy", &cells.file("f4"));
    // The report and the result are there all the same.
    let ended = |options: &str, said: &str| {
        let mut output = folder.run(&format!("stencil in.npy {options}"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(3) && error.contains(said), "{:?} {error}", output.status);
        (output.status, output.stderr) = (Default::default(), Vec::new());
        output
    };
    let said = "in.npy: not converged after step 25: allow more with --steps";
    let limited = report(&ended("--until 0 --steps 25 -o out.npy --json", said));
    assert_eq!((&limited["steps"], &limited["converged"]), (&25.into(), &false.into()));
    assert_close(&folder, &cells.stepped(Border::Fixed, FIVE_POINT.usual, 25));
    let none = report(&ended("--until 1 --steps 0 --json", "after step 0"));
    assert_eq!((&none["residual_max"], &none["converged"]), (&"inf".into(), &false.into()));

    // NaN ends a run at its first check, on one adapter and on several.
    cells.values[100] = f64::NAN;
    folder.write("in.npy", &cells.file("f4"));
    for more in ["", "--exact", &format!("--adapters {}", times(2))] {
        let said = "not converged after step 4: a change of that step is NaN";
        let ended = ended(&format!("--until 1e9 --every 4 --json {more}"), said);
        let mut poisoned: Value = files::parsed(&ended);
        let found = ["steps", "residual_max", "converged"].map(|key| poisoned[key].take());
        assert_eq!(found, [Value::from(4), "NaN".into(), false.into()], "{more}");
    }
    let text = stdout(&ended("--until 1 --steps 9", "NaN"));
    assert!(text.contains("\nnot converged: "), "{text}");
}
