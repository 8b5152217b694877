//! Runs that stop once a step changes little.

use halofold::Element;
use halofold::stencil::{FIVE_POINT, STENCILS};
use serde_json::Value;

use super::cells::{Cells, array, report};
use crate::files::{self, Folder, assert_has, stdout};
use crate::several_adapters::times;

#[test]
fn a_run_ends_at_the_first_check_that_finds_little_change() {
    let folder = Folder::new("stencil-until");
    for &stencil in STENCILS {
        folder.write("in.npy", &Cells::integers(stencil).file("f4"));
        let run = |options: &str| {
            report(&folder.run(&format!("stencil in.npy --stencil {} {options} --json", stencil.name)))
        };
        let ended = run("--until 1e-2 --every 7");
        let (steps, change) = (ended["steps"].as_u64().unwrap(), ended["residual_max"].as_f64().unwrap());
        assert!(ended["converged"] == true && change < 1e-2 && steps % 7 == 0, "{ended}");
        assert!(ended["residual_l2"].as_f64().unwrap() >= change, "{ended}");
        // The check before has found more.
        let mut before = folder.run(&format!(
            "stencil in.npy --stencil {} --until 1e-2 --every 7 --steps {} --json",
            stencil.name,
            steps - 7
        ));
        assert_eq!(before.status.code(), Some(3));
        before.status = Default::default();
        assert!(report(&before)["residual_max"].as_f64().unwrap() >= 1e-2);
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
    if files::preferred().features().contains(Element::F64.feature()) {
        let wide = report(&run("--norm l2 --json --exact --type f64"));
        assert!(wide["converged"] == true && (l2(&wide) / l2(&exact) - 1.0).abs() < 1e-3, "{wide} {exact}");
    }
    assert_has(&stdout(&run("--norm l2")), &["\nconverged: ", " in the L2 norm\n"]);
    // The largest change is smaller long before.
    let largest = report(&run("--json"));
    assert!(largest["steps"].as_u64() < fast["steps"].as_u64(), "{largest} {fast}");
}

#[test]
fn an_unconverged_run_has_exit_status_3() {
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
    assert_eq!(array(&folder.path("out.npy")).1, [13, 37]);
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
