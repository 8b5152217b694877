//! `halofold stencil`, streamed from file to file: the bits of the grid stepped as a whole, whatever the slabs, and through
//! whatever interrupts the run.

mod files;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use files::{Folder, npy, refused, stdout};
use half::f16;
use halofold::Element;
use serde_json::Value;

/// What has no exact sums: another order of additions would show.
const WEIGHTS: [(&str, &str); 4] = [
    ("5", "0.231,0.1723"),
    ("9", "0.231,0.1173,0.0653"),
    ("7", "0.231,0.1123"),
    ("27", "0.231,0.0573,0.0153,0.0107"),
];

const BORDERS: [&str; 3] = ["fixed", "mirror", "periodic"];

fn run(args: &[&str]) -> Output {
    files::command("stencil", args).output().unwrap()
}

/// A file of pseudo-random cells, the same every time.
fn grid(folder: &Folder, name: &str, kind: &str, shape: &[usize]) -> String {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 22)
    };
    let cells = (0..shape.iter().product()).flat_map(|_| match kind {
        "<f2" => f16::from_f64(next()).to_le_bytes().to_vec(),
        "<f4" => (next() as f32).to_le_bytes().to_vec(),
        ">i2" => ((1000.0 * next()) as i16).to_be_bytes().to_vec(),
        _ => next().to_le_bytes().to_vec(),
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
    let names =
        fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| name.starts_with(result)).collect();
    names.sort();
    names
}

/// Whether the adapter has what a type needs.
fn is_here(kind: &str) -> bool {
    let element = match kind {
        "<f2" => Element::F16,
        "<f8" => Element::F64,
        _ => Element::F32,
    };
    let is_here = files::features().contains(element.feature());
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
            let options = [
                &file,
                "--stencil",
                points,
                "--weights",
                weights(points),
                "--boundary",
                boundary,
                "--steps",
                "11",
            ];
            let expected = whole(&folder, &options);
            for cut in [cuts[(nth + border) % 5], cuts[(nth + border + 2) % 5]] {
                let output = run(&[&options, cut, &["-o", &out]].concat());
                // A ring of 16-bit cells, an odd number in all, cannot be cut between words.
                if kind == "<f2" && boundary == "periodic" && shape.iter().product::<usize>() % 2 == 1 {
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
        [("time-pipeline", "mirror"), ("direct-global", "periodic"), ("sol-smem", "fixed")]
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
        let report: Value = serde_json::from_str(&stdout(&run(&[&options[..], &cut].concat()))).unwrap();
        assert!(fs::read(&out).unwrap() == expected, "{boundary}");
        assert_eq!(
            (&report["passes"], &report["slabs"], &report["steps"]),
            (&3.into(), &8.into(), &9.into())
        );
        // Layers that the slabs hold: with 4, 4 and 4 of halo in each pass, 7 times on either side, or 8 in a ring.
        let held = 60 + 4 * if boundary == "periodic" { 16 } else { 14 };
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
        let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
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
            let output = run(&[&options[..], &["-o", &path, "--json"]].concat());
            let expected: Value = serde_json::from_str(&stdout(&output)).unwrap();
            let cut = ["--slab", "9", "--depth", "4", "-o", &out, "--json"];
            let streamed: Value =
                serde_json::from_str(&stdout(&run(&[&options[..], &cut].concat()))).unwrap();
            for key in ["steps", "converged", "residual_max", "residual_l2"] {
                assert_eq!(streamed[key], expected[key], "{key}: {streamed} {expected}");
            }
            assert!(fs::read(&out).unwrap() == fs::read(path).unwrap(), "{norm} {epsilon}");
            assert_eq!(beside(&folder, "out"), ["out.npy"]);
        }
    }
}

/// A run that takes long enough to be interrupted: its options, and where its result goes.
struct Long {
    folder: Folder,
    options: Vec<String>,
    out: String,
}

impl Long {
    fn new(test: &str) -> Self {
        let folder = Folder::new(test);
        let file = grid(&folder, "in.npy", "<f4", &[512, 200]);
        let rhs = grid(&folder, "rhs.npy", "<f4", &[512, 200]);
        let options = ["--rhs", &rhs, "--weights", "0.2,0.19", "--boundary", "periodic", "--steps", "120"];
        let options = [&file].into_iter().map(|path| &path[..]).chain(options).map(str::to_owned).collect();
        Long { out: folder.path("out.npy"), folder, options }
    }

    fn whole(&self) -> Vec<u8> {
        whole(&self.folder, &self.options.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn command(&self, more: &[&str]) -> Command {
        let options = self.options.iter().map(String::as_str);
        let streamed = ["--slab", "40", "--depth", "3", "--checkpoint", "0", "-o", &self.out];
        files::command("stencil", &options.chain(streamed).chain(more.iter().copied()).collect::<Vec<_>>())
    }

    /// How far the checkpoint says that it is: passes and slabs.
    fn at(&self) -> Option<(u64, u64)> {
        let text = fs::read(format!("{}.halofold.json", self.out)).ok()?;
        let checkpoint: Value = serde_json::from_slice(&text).expect("a checkpoint is whole at any time");
        Some((checkpoint["passes"].as_u64()?, checkpoint["slabs"].as_u64()?))
    }

    /// Runs until it has come so far.
    fn until(&self, more: &[&str], far: (u64, u64)) -> Child {
        let mut child = self.command(more).spawn().unwrap();
        let begun = Instant::now();
        while self.at().is_none_or(|at| at < far) {
            if child.try_wait().unwrap().is_some() {
                panic!("it ended before {far:?}: {:?}", child.wait_with_output());
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{:?} after a minute", self.at());
            thread::sleep(Duration::from_millis(1));
        }
        child
    }

    /// Ends it and has the bits of the whole grid, and nothing else.
    fn resume(&self, expected: &[u8]) -> Value {
        let report =
            serde_json::from_str(&stdout(&self.command(&["--resume", "--json"]).output().unwrap())).unwrap();
        assert!(fs::read(&self.out).unwrap() == expected);
        assert_eq!(beside(&self.folder, "out"), ["out.npy"]);
        report
    }
}

#[test]
fn a_killed_run_goes_on_to_the_same_bits() {
    let long = Long::new("streamed-killed");
    let expected = long.whole();
    let mut more: &[&str] = &[];
    // At the beginning, in the first pass, at the beginning of a pass or so, in both files.
    for far in [(0, 0), (0, 5), (1, 0), (4, 9), (7, 12), (20, 1)] {
        let mut child = long.until(more, far);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!Path::new(&long.out).exists());
        more = &["--resume"];
    }
    let report = long.resume(&expected);
    assert_eq!((&report["passes"], &report["steps"]), (&40.into(), &120.into()));
    // Twenty passes and what is beside them had been written before.
    assert!(report["bytes_written"].as_u64().unwrap() <= 20 * 512 * 200 * 4, "{report}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_puts_away_what_is_done() {
    let long = Long::new("streamed-interrupted");
    let expected = long.whole();
    // Checkpoints come late: what is resumed is what the interrupt left.
    let child = long.until(&[], (2, 3));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(sent.success() && output.status.code() == Some(130), "{message}");
    assert!(message.contains("interrupted after") && message.contains("--resume"), "{message}");
    long.resume(&expected);
}

/// The shell's way to a disk that is full: no file may have more than so many blocks of 512 bytes.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_the_run_goes_on() {
    let long = Long::new("streamed-full");
    let expected = long.whole();
    let limited = |more: &[&str]| {
        let command = long.command(more);
        // Half of a grid. The program sees the error instead of the signal.
        let script = "trap '' XFSZ; ulimit -f 400; exec \"$0\" \"$@\"";
        Command::new("sh")
            .args(["-c", script])
            .arg(command.get_program())
            .args(command.get_args())
            .output()
            .unwrap()
    };
    // In the first pass, and again with no room for another slab.
    let output = limited(&[]);
    refused(&output, &["out.npy.halofold-0", "make room", "--resume"]);
    assert!(long.at().is_some_and(|(passes, slabs)| passes == 0 && slabs > 0), "{:?}", long.at());
    let before = long.at();
    refused(&limited(&["--resume"]), &["make room"]);
    assert_eq!(long.at(), before);
    // In a later pass: the rest is the same with room.
    let mut child = long.until(&["--resume"], (3, 1));
    child.kill().unwrap();
    child.wait().unwrap();
    refused(&limited(&["--resume"]), &["make room"]);
    assert!(long.at().is_some_and(|(passes, _)| passes >= 3));
    long.resume(&expected);
}

#[test]
fn only_the_same_run_is_resumed() {
    let long = Long::new("streamed-other");
    let expected = long.whole();
    refused(&long.command(&["--resume"]).output().unwrap(), &["out.npy.halofold.json", "nothing to resume"]);
    let mut child = long.until(&[], (1, 2));
    child.kill().unwrap();
    child.wait().unwrap();
    refused(&long.command(&[]).output().unwrap(), &["out.npy.halofold.json", "unfinished", "--resume"]);
    let file = &long.options[0];
    let other = |change: &dyn Fn(&mut Vec<String>), parts: &[&str]| {
        let mut options = long.options.clone();
        options.extend(["--slab", "40", "--depth", "3", "--resume", "-o", &long.out].map(str::to_owned));
        change(&mut options);
        refused(&run(&options.iter().map(String::as_str).collect::<Vec<_>>()), parts);
    };
    let set = |option: &'static str, value: &'static str| {
        move |options: &mut Vec<String>| {
            let at = options.iter().position(|given| given == option).unwrap();
            options[at + 1] = value.to_owned();
        }
    };
    other(&set("--steps", "121"), &["steps", "120", "121"]);
    other(&set("--weights", "0.2,0.18"), &["weights", "0.19", "0.18"]);
    other(&set("--boundary", "mirror"), &["boundary", "periodic", "mirror"]);
    other(&set("--slab", "50"), &["slab", "40"]);
    other(&set("--depth", "4"), &["depth", "3", "4"]);
    other(
        &|options| options.extend(["--variant", "direct-global"].map(str::to_owned)),
        &["variant", "direct-global"],
    );
    other(&|options| drop(options.drain(1..3)), &["rhs", "none"]);
    // Another file in the place of the input: its time tells.
    let bytes = fs::read(file).unwrap();
    let time = fs::metadata(file).unwrap().modified().unwrap();
    fs::write(file, &bytes).unwrap();
    other(&|_| {}, &["input", "modified"]);
    fs::File::options().write(true).open(file).unwrap().set_modified(time).unwrap();
    let state = format!("{}.halofold.json", long.out);
    let checkpoint = fs::read_to_string(&state).unwrap();
    fs::write(&state, &checkpoint[..100]).unwrap();
    other(&|_| {}, &["is not a checkpoint"]);
    fs::write(&state, checkpoint).unwrap();
    long.resume(&expected);
}

#[test]
fn what_cannot_be_streamed_is_refused() {
    let folder = Folder::new("streamed-refused");
    let flat = grid(&folder, "flat.npy", "<f4", &[20, 10]);
    let columns = folder.write("columns.npy", &npy("<f4", true, &[20, 10], &[0; 800]));
    let (out, picture, frames) = (folder.path("out.npy"), folder.path("out.png"), folder.path("frames"));
    let cases: &[(&[&str], &[&str])] = &[
        (&["--slab", "5"], &["--slab: -o must name a .npy file"]),
        (&["--stream", "-o", &picture], &["--stream: -o"]),
        (&["--depth", "2", "-o", &out, "--frames", &frames], &["--depth: --frames"]),
        (&["--slab", "2", "--depth", "3", "--steps", "3", "-o", &out], &["2 layers", "3 steps", "--slab"]),
        (&["--slab", "0", "-o", &out], &["--slab"]),
        (&["--memory", "much", "-o", &out], &["much"]),
        (&["--stream", "--checkpoint", "-1", "-o", &out], &["--checkpoint"]),
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
    let output = files::run_on(&mut files::command("stencil", &["-", "--stream", "-o", &out]), &input);
    refused(&output, &["no regular file"]);
    refused(&run(&["--preset", "thesis-5pt", "--stream"]), &["--preset"]);
    assert_eq!(beside(&folder, "out").len() + beside(&folder, "frames").len(), 0);
}
