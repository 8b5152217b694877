//! `halofold stencil`, streamed from file to file: the bits of the grid stepped as a whole, for all slabs and
//! interruptions of the run.

mod interrupted;

use std::fs;

use crate::files::{Folder, encode, names_in, npy, parsed, random, refused, stdout, stencil as run};
use halofold::Element;
use serde_json::Value;

/// Weights whose sums are not exact: another order of additions would show.
const WEIGHTS: [(&str, &str); 4] = [
    ("5", "0.231,0.1723"),
    ("9", "0.231,0.1173,0.0653"),
    ("7", "0.231,0.1123"),
    ("27", "0.231,0.0573,0.0153,0.0107"),
];

const BORDERS: [&str; 5] = ["fixed", "reflect", "wrap", "mirror", "constant=-1.5"];

/// A file of pseudo-random cells, the same every time.
fn grid(folder: &Folder, name: &str, kind: &str, shape: &[usize]) -> String {
    let mut word = random(1);
    let mut next = || (word() >> 40) as f64 / f64::from(1 << 22);
    let cells = (0..shape.iter().product()).flat_map(|_| match kind {
        ">i2" => ((1000.0 * next()) as i16).to_be_bytes().to_vec(),
        little => encode(&little[1..], next()),
    });
    let cells: Vec<u8> = cells.collect();
    folder.write(name, &npy(kind, false, shape, &cells))
}

fn weights(points: &str) -> &'static str {
    WEIGHTS.iter().find(|(of, _)| *of == points).unwrap().1
}

/// The grid stepped as a whole.
fn whole(folder: &Folder, options: &[&str]) -> Vec<u8> {
    let out = folder.path("whole.npy");
    stdout(&run(&[options, &["-o", &out]].concat()));
    fs::read(out).unwrap()
}

/// Names of the files in a folder that have to do with a result.
fn beside(folder: &Folder, result: &str) -> Vec<String> {
    names_in(&folder.0).into_iter().filter(|name| name.starts_with(result)).collect()
}

/// Returns true if the adapter has the features that a type needs.
fn is_here(kind: &str) -> bool {
    let element = match kind {
        "<f2" => Element::F16,
        "<f8" => Element::F64,
        _ => Element::F32,
    };
    let is_here = crate::files::features().contains(element.feature());
    if !is_here {
        println!("LEFT OUT: this adapter lacks {element}");
    }
    is_here
}

#[test]
fn bits_are_those_of_the_whole_grid() {
    let folder = Folder::new("streamed-bits");
    let out = folder.path("out.npy");
    // Heights that do not divide, slabs as thin as their halos, one slab, passes of all steps, rings round one slab.
    let cuts: [&[&str]; 5] = [
        &["--slab", "7", "--depth", "3"],
        &["--slab", "4", "--depth", "2"],
        &["--slab", "100", "--depth", "5"],
        &["--slab", "13"],
        &["--depth", "4"],
    ];
    let grids: [(&str, &str, &[usize]); 7] = [
        ("5", "<f4", &[101, 70]),
        ("9", "<f4", &[40, 64]),
        ("5", "<f2", &[61, 33]),
        ("5", "<f8", &[50, 31]),
        ("7", "<f4", &[29, 9, 12]),
        ("27", "<f4", &[23, 8, 16]),
        ("27", "<f2", &[26, 7, 9]),
    ];
    for (nth, (points, kind, shape)) in grids.into_iter().enumerate().filter(|(_, grid)| is_here(grid.1)) {
        let file = grid(&folder, "in.npy", kind, shape);
        for (border, boundary) in BORDERS.into_iter().enumerate() {
            let options = [&file, "--stencil", points, "--weights", weights(points)];
            let options = [&options[..], &["--boundary", boundary, "--steps", "11"]].concat();
            let expected = whole(&folder, &options);
            for cut in [cuts[(nth + border) % 5], cuts[(nth + border + 2) % 5]] {
                let output = run(&[&options, cut, &["-o", &out]].concat());
                // A ring of 16-bit cells, an odd number in all, cannot be cut between words.
                if kind == "<f2" && boundary == "wrap" && shape.iter().product::<usize>() % 2 == 1 {
                    refused(&output, &["f16", "even number"]);
                    continue;
                }
                assert!(stdout(&output).contains("\nstreamed in "), "{cut:?}");
                assert!(fs::read(&out).unwrap() == expected, "{points} {kind} {shape:?} {boundary} {cut:?}");
                assert_eq!(beside(&folder, "out"), ["out.npy"]);
            }
        }
    }
}

#[test]
fn any_kernel_may_step_the_slabs() {
    let folder = Folder::new("streamed-kernels");
    let out = folder.path("out.npy");
    let file = grid(&folder, "in.npy", "<f4", &[150, 64]);
    let is_slow = stdout(&run(&[&file, "--steps", "0"])).contains("SwiftShader");
    for (variant, boundary) in
        [("time-pipeline", "reflect"), ("direct-global", "wrap"), ("sol-smem", "fixed")]
    {
        // SwiftShader takes minutes to compile one that takes many steps.
        if variant == "time-pipeline" && is_slow {
            println!("LEFT OUT: time-pipeline on SwiftShader");
            continue;
        }
        let options =
            [&file, "--weights", weights("5"), "--variant", variant, "--boundary", boundary, "--steps", "40"];
        let expected = whole(&folder, &options);
        let report = run(&[&options[..], &["--slab", "55", "--depth", "21", "-o", &out]].concat());
        assert!(stdout(&report).contains("\nstreamed in 2 passes of 3 slabs"));
        assert!(fs::read(&out).unwrap() == expected, "{variant} {boundary}");
    }
}

#[test]
fn right_hand_sides_and_integers_are_streamed_too() {
    let folder = Folder::new("streamed-rhs");
    let file = grid(&folder, "in.npy", ">i2", &[60, 21]);
    let rhs = grid(&folder, "rhs.npy", "<f8", &[60, 21]);
    let out = folder.path("out.npy");
    for boundary in BORDERS {
        let options =
            [&file, "--rhs", &rhs, "--weights", weights("5"), "--boundary", boundary, "--steps", "9"];
        let expected = whole(&folder, &options);
        let cut = ["--slab", "8", "--depth", "4", "-o", &out, "--json"];
        let report: Value = parsed(&run(&[&options[..], &cut].concat()));
        assert!(fs::read(&out).unwrap() == expected, "{boundary}");
        assert_eq!(
            (&report["passes"], &report["slabs"], &report["steps"]),
            (&3.into(), &8.into(), &9.into())
        );
        // Layers that the slabs hold: with 4, 4 and 4 of halo in each pass, 7 times on either side, or 8 in a ring.
        let held = 60 + 4 * if boundary == "wrap" { 16 } else { 14 };
        let bytes = |size: u64| held * 21 * size;
        assert_eq!(report["bytes_read"], bytes(2) + 2 * bytes(4) + 3 * bytes(8));
        assert_eq!(report["bytes_written"], 3 * 60 * 21 * 4);
    }
}

#[test]
fn memory_decides_slabs() {
    let folder = Folder::new("streamed-memory");
    let file = grid(&folder, "in.npy", "<f4", &[300, 64]);
    let out = folder.path("out.npy");
    let options = [&file, "--weights", weights("5"), "--steps", "30"];
    let expected = whole(&folder, &options);
    // Two grids of 76 800 bytes fit or not; then six buffers of 40 rows.
    for (memory, streamed) in [("153600", None), ("153599", None), ("61440", Some((3, 15)))] {
        let output = run(&[&options[..], &["--memory", memory, "-o", &out, "--json"]].concat());
        let report: Value = parsed(&output);
        assert!(fs::read(&out).unwrap() == expected, "{memory}");
        assert_eq!(report["passes"].is_null(), memory == "153600", "{report}");
        if let Some((passes, slabs)) = streamed {
            assert_eq!((&report["passes"], &report["slabs"]), (&passes.into(), &slabs.into()));
        }
    }
    let small = run(&[&options[..], &["--memory", "3000", "-o", &out]].concat());
    refused(&small, &["there is room for 500", "--memory"]);
    // No step copies.
    stdout(&run(&[&file, "--steps", "0", "--slab", "70", "-o", &out]));
    assert!(fs::read(&out).unwrap()[128..] == fs::read(&file).unwrap()[128..]);
}

#[test]
fn streamed_runs_converge_where_whole_ones_do() {
    let folder = Folder::new("streamed-until");
    let out = folder.path("out.npy");
    for (kind, norm) in [("<f4", "max"), ("<f4", "l2"), ("<f8", "l2"), ("<f2", "max")] {
        if !is_here(kind) {
            continue;
        }
        let file = grid(&folder, "in.npy", kind, &[40, 33]);
        for (every, epsilon, most) in [("10", "1.5", "1000"), ("7", "0.4", "1000"), ("10", "0", "25")] {
            let options =
                [&file, "--until", epsilon, "--every", every, "--norm", norm, "--exact", "--steps", most];
            let path = folder.path("whole.npy");
            let expected: Value = parsed(&run(&[&options[..], &["-o", &path, "--json"]].concat()));
            let cut = ["--slab", "9", "--depth", "4", "-o", &out, "--json"];
            let streamed: Value = parsed(&run(&[&options[..], &cut].concat()));
            for key in ["steps", "converged", "residual_max", "residual_l2"] {
                assert_eq!(streamed[key], expected[key], "{key}: {streamed} {expected}");
            }
            assert!(fs::read(&out).unwrap() == fs::read(path).unwrap(), "{norm} {epsilon}");
            assert_eq!(beside(&folder, "out"), ["out.npy"]);
        }
    }
}

#[test]
fn requests_that_cannot_be_streamed_are_refused() {
    let folder = Folder::new("streamed-refused");
    let flat = grid(&folder, "flat.npy", "<f4", &[20, 10]);
    let columns = folder.write("columns.npy", &npy("<f4", true, &[20, 10], &[0; 800]));
    let (out, picture, frames) = (folder.path("out.npy"), folder.path("out.png"), folder.path("frames"));
    let cases: &[(&[&str], &[&str])] = &[
        (&["--slab", "5"], &["--slab: -o must name a .npy file"]),
        (&["--stream", "-o", &picture], &["--stream: -o"]),
        (&["--depth", "2", "-o", &out, "--frames", &frames], &["--depth: --frames"]),
        (
            &["--slab", "2", "--depth", "3", "--steps", "3", "-o", &out],
            &["height of 2", "depth of 3", "--slab"],
        ),
        (&["--slab", "0", "-o", &out], &["--slab"]),
        (&["--memory", "much", "-o", &out], &["much"]),
        (&["--stream", "--checkpoint", "-1", "-o", &out], &["--checkpoint"]),
        (&["--checkpoint", "5"], &["--checkpoint: -o must name a .npy file"]),
        (
            &["--steps", "4294967295", "--depth", "4294967295", "-o", &out],
            &["depth of 4294967295", "at most 16384", "--depth"],
        ),
        (&["--resume", "-o", &out], &["nothing to resume"]),
    ];
    for (options, parts) in cases {
        refused(&run(&[&[&flat[..]], *options].concat()), parts);
    }
    if cfg!(unix) {
        refused(&run(&[&flat, "--stream", "-o", "/dev/full"]), &["-o"]);
    }
    refused(&run(&[&columns, "--stream", "-o", &out]), &["columns.npy", "Fortran", "ascontiguousarray"]);
    let input = fs::read(&flat).unwrap();
    let output =
        crate::files::run_on(&mut crate::files::command("stencil", &["-", "--stream", "-o", &out]), &input);
    refused(&output, &["no regular file"]);
    refused(&run(&["--preset", "thesis-5pt", "--stream"]), &["--preset"]);
    assert_eq!(beside(&folder, "out").len() + beside(&folder, "frames").len(), 0);
}
