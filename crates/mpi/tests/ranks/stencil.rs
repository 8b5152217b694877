//! Stencils: the grid of one GPU, bit for bit, for any number of ranks.

use std::fs;
use std::path::Path;
use std::process::Command;

use halofold_mpi::halofold::Element;
use halofold_mpi::halofold::reduce::exact::{Format, State};
use serde_json::Value as Json;

use crate::files::{cells, has, write};
use crate::launch::{Ended, Launch, RANKS, beside, folder, launch, mpirun, printed};

/// The type and the shape of a grid, options, steps, and how deep halos are.
type Case = (Element, &'static [u64], &'static str, &'static str, &'static str);

/// Heights that seven ranks do not divide, rounds of several lengths, borders of every kind; faces that several threads copy.
const CASES: [Case; 8] = [
    (Element::F32, &[41, 36], "--stencil 5 --boundary periodic --rhs rhs.npy", "13", "5"),
    (Element::F32, &[300, 70], "--stencil 5 --boundary fixed --variant time-pipeline", "37", "16"),
    (Element::F32, &[40, 8192], "--stencil 5 --boundary periodic", "23", "5"),
    (Element::F16, &[45, 33], "--stencil 9 --boundary reflect --rhs rhs.npy", "7", "4"),
    (Element::F32, &[16, 9, 12], "--stencil 27 --boundary periodic", "5", "2"),
    (Element::F32, &[45, 20], "--stencil 13 --boundary constant=2", "5", "1"),
    (Element::F64, &[15, 8, 7], "--stencil 7 --boundary fixed", "4", "1"),
    (Element::F64, &[8, 21], "--stencil 5 --boundary mirror --variant direct-global --rhs rhs.npy", "3", "1"),
];

/// The report of a launch.
fn report(ranks: usize, folder: &Path, arguments: &[&str]) -> Json {
    serde_json::from_str(&printed(ranks, folder, &[arguments, &["--json"]].concat())).unwrap()
}

/// The report of `halofold`, which is one process.
fn alone(folder: &Path, arguments: &[&str]) -> Json {
    let mut command = Command::new(beside("halofold"));
    command.args(arguments).arg("--json");
    let Ended { status, out, err } = Launch::start(command, folder).end();
    assert!(status.success(), "{arguments:?}: {err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn any_number_of_ranks_and_adapters_have_the_bits_of_one_gpu() {
    let folder = folder("stencils");
    for (element, shape, options, steps, halo) in CASES {
        if !has(element) {
            eprintln!("{options} of {element}: NOT TESTED, this adapter has no such type");
            continue;
        }
        write(&folder.join("grid.npy"), element, shape, &cells(element, shape, 1));
        write(&folder.join("rhs.npy"), element, shape, &cells(element, shape, 2));
        let arguments = ["stencil", "grid.npy", "--steps", steps, "-o", "out.npy"];
        let arguments: Vec<_> = arguments.into_iter().chain(options.split(' ')).collect();
        let out = folder.join("out.npy");
        alone(&folder, &arguments);
        let expected = fs::read(&out).unwrap();
        let is_expected = || fs::read(&out).unwrap() == expected;
        let several = ["--adapters", "0,0", "--halo", halo];
        assert_eq!(alone(&folder, &[&arguments[..], &several].concat())["steps"].to_string(), steps);
        assert!(is_expected(), "{options} of {element}, {several:?}: other bits");
        for ranks in RANKS {
            // An earlier file is replaced.
            fs::write(&out, "old").unwrap();
            let report = report(ranks, &folder, &[&arguments[..], &["--halo", halo]].concat());
            assert_eq!(["steps", "halo"].map(|key| report[key].to_string()), [steps, halo]);
            let layers = report["layers"].as_array().unwrap().iter().map(|layers| layers.as_u64().unwrap());
            assert_eq!((layers.len(), layers.sum()), (ranks, shape[0]));
            assert!(is_expected(), "{options} of {element}, {ranks} ranks: other bits");
        }
    }
    let left = fs::read_dir(&folder).unwrap().count();
    assert_eq!(left, 5, "grid.npy, rhs.npy, out.npy, out.txt and err.txt");
}

#[test]
fn close_comparisons_agree_on_every_device() {
    let folder = folder("until");
    let shape = [35, 24];
    for (element, norm, epsilon) in [(Element::F32, "max", 1e-3), (Element::F64, "l2", 2e-2)] {
        if !has(element) {
            eprintln!("--until of {element}: NOT TESTED, this adapter has no such type");
            continue;
        }
        write(&folder.join("grid.npy"), element, &shape, &cells(element, &shape, 1));
        let ended = |run: &dyn Fn(&[&str]) -> Json, epsilon: f64, more: &[&str]| {
            let epsilon = format!("{epsilon:e}");
            let arguments = ["stencil", "grid.npy", "--until", &epsilon, "--norm", norm, "--every", "7"];
            let report = run(&[&arguments[..], &["-o", "out.npy"], more].concat());
            let keys = ["steps", "residual_max", "residual_l2", "converged"];
            (keys.map(|key| report[key].clone()), fs::read(folder.join("out.npy")).unwrap())
        };
        let one: &dyn Fn(&[&str]) -> Json = &|arguments| alone(&folder, arguments);
        let three: &dyn Fn(&[&str]) -> Json = &|arguments| report(3, &folder, arguments);
        let first = ended(one, epsilon, &[]);
        assert_eq!(first.0[3], true);
        let change = first.0[if norm == "max" { 1 } else { 2 }].as_f64().unwrap();
        // A change is not less than itself, but less than the next number of its type.
        let single = change as f32;
        let near = match element {
            Element::F32 => [single.next_down(), single, single.next_up()].map(f64::from),
            _ => [change.next_down(), change, change.next_up()],
        };
        for epsilon in near {
            let expected = ended(one, epsilon, &[]);
            assert_eq!(expected == first, epsilon > change, "{:?} for {epsilon:e}", expected.0);
            for (run, way) in [(one, &["--adapters", "0,0", "--halo", "4"][..]), (three, &["--halo", "5"])] {
                let found = ended(run, epsilon, way);
                assert!(found == expected, "{way:?}: {:?}, not {:?}", found.0, expected.0);
            }
        }
    }
}

#[test]
fn nan_ends_all_ranks_with_status_3() {
    let folder = folder("nan");
    let shape = [20, 9];
    let mut cells = cells(Element::F32, &shape, 1);
    cells[4 * 90..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    write(&folder.join("grid.npy"), Element::F32, &shape, &cells);
    let arguments = ["stencil", "grid.npy", "--until", "1e9", "--every", "4", "--json"];
    let Ended { status, out, err } = launch(3, &folder, &arguments);
    assert!(status.code() == Some(3) && err.contains("after step 4: a change of that step is NaN"), "{err}");
    assert_eq!(serde_json::from_str::<Json>(&out).unwrap()["steps"], 4);
}

/// The output of an example on `ranks` ranks.
fn example(name: &str, ranks: u32, folder: &Path) -> String {
    let mut command = mpirun();
    command.args(["-n", &ranks.to_string()]).arg(beside("examples").join(name));
    let Ended { status, out, err } = Launch::start(command, folder).end();
    assert!(status.success(), "{err}");
    out
}

#[test]
fn parts_of_any_size_make_a_grid() {
    let folder = folder("parts");
    for ranks in [1, 2, 3] {
        let rows: u32 = (0..ranks).map(|rank| 20 + 3 * rank).sum();
        let cell = |at: u32| if (at / 64 / 5 + at % 64 / 7).is_multiple_of(3) { 1.0f32 } else { 0.1 };
        let cells: Vec<f32> = (0..rows * 64).map(cell).collect();
        write(&folder.join("grid.npy"), Element::F32, &[rows.into(), 64], bytemuck::cast_slice(&cells));
        let arguments = ["stencil", "grid.npy", "--steps", "100", "--boundary", "periodic", "-o", "out.npy"];
        alone(&folder, &arguments);
        let mut heat = State::new(Format::Single);
        let stepped = fs::read(folder.join("out.npy")).unwrap();
        heat.add(Element::F32, &stepped[stepped.len() - 4 * cells.len()..]);
        assert_eq!(
            example("diffusion", ranks, &folder),
            format!("{rows} × 64 cells on {ranks} ranks: {:?}\n", heat.sum())
        );
    }
}

#[test]
fn impossible_requests_are_refused_once() {
    let folder = folder("refused");
    write(&folder.join("grid.npy"), Element::F32, &[9, 4], &[0; 144]);
    for (arguments, message) in [
        (&["grid.npy", "--halo", "4"][..], "a halo of 4 layers, and the rank with the fewest has 3"),
        (&["grid.npy", "-o", "grid.npy"], "-o grid.npy: is the input"),
        (&["grid.npy", "-o", "none/out.npy"], "-o none/out.npy: no such folder"),
        (&["grid.npy", "-o", "out.txt"], "the name must end in .npy"),
        (&["grid.npy", "--adapters", "all"], "each rank takes the adapter"),
        (&["grid.npy", "--stencil", "27"], "the stencil 27-point takes a grid of (planes, rows, columns)"),
    ] {
        let Ended { status, err, .. } =
            launch(3, &folder, &[&["stencil", "--steps", "1"], arguments].concat());
        assert!(!status.success(), "{arguments:?}: {err}");
        assert_eq!(err.matches("error: rank 0 of 3 on ").count(), 1, "{arguments:?}: {err}");
        assert!(err.matches("error: ").count() == 1 && err.contains(message), "{arguments:?}: {err}");
    }
    // More ranks than layers.
    let Ended { status, err, .. } =
        launch(4, &folder, &["stencil", "grid.npy", "--steps", "1", "--halo", "3"]);
    assert!(!status.success() && err.contains("use fewer ranks or a smaller halo"), "{err}");
    let Ended { err, .. } = launch(2, &folder, &["stencil", "grid.npy"]);
    assert!(err.contains("give --steps N, or --until EPS"), "{err}");
}
