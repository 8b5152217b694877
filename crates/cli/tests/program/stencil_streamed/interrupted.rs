//! Runs that do not reach their end at once.

use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{beside, grid, whole};
use crate::files::{self, Folder, parsed, refused};

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
        let options = ["--rhs", &rhs, "--weights", "0.2,0.19", "--boundary", "wrap", "--steps", "120"];
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

    /// The checkpoint's progress: passes and slabs.
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

    /// Runs until it has come so far, and kills it.
    fn kill_at(&self, more: &[&str], far: (u64, u64)) {
        let mut child = self.until(more, far);
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Ends it and has the bits of the whole grid, and nothing else.
    fn resume(&self, expected: &[u8]) -> Value {
        let report = parsed(&self.command(&["--resume", "--json"]).output().unwrap());
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
        long.kill_at(more, far);
        assert!(!Path::new(&long.out).exists());
        more = &["--resume"];
    }
    let report = long.resume(&expected);
    assert_eq!((&report["passes"], &report["steps"]), (&40.into(), &120.into()));
    // Twenty passes, and the checkpoint beside them, had been written before.
    assert!(report["bytes_written"].as_u64().unwrap() <= 20 * 512 * 200 * 4, "{report}");
}

#[test]
fn a_pass_whose_file_is_gone_begins_again() {
    let long = Long::new("streamed-gone");
    let expected = long.whole();
    let mut more: &[&str] = &[];
    for far in [(0, 2), (1, 3)] {
        long.kill_at(more, far);
        let (pass, _) = long.at().unwrap();
        // It is not there yet where the pass before has just ended.
        let _ = fs::remove_file(format!("{}.halofold-{}", long.out, pass % 2));
        more = &["--resume"];
    }
    long.resume(&expected);
}

#[cfg(unix)]
#[test]
fn an_interrupt_puts_away_what_is_done() {
    let long = Long::new("streamed-interrupted");
    let expected = long.whole();
    // Checkpoints come late: the run is resumed from the state that the interrupt saved.
    let child = long.until(&[], (2, 3));
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(sent.success() && output.status.code() == Some(130), "{message}");
    assert!(message.contains("interrupted after") && message.contains("--resume"), "{message}");
    long.resume(&expected);
}

/// The shell's way to a disk that is full: no file may have more than this many blocks of 512 bytes.
#[cfg(unix)]
#[test]
fn a_full_disk_is_an_error_and_the_run_goes_on() {
    let long = Long::new("streamed-full");
    let expected = long.whole();
    // Half of a grid. The program sees the error instead of the signal.
    let limited = |more: &[&str]| files::limited("trap '' XFSZ; ulimit -f 400", &long.command(more));
    // In the first pass, and again with no room for another slab.
    let output = limited(&[]);
    refused(&output, &["out.npy.halofold-0", "make room", "--resume"]);
    assert!(long.at().is_some_and(|(passes, slabs)| passes == 0 && slabs > 0), "{:?}", long.at());
    let before = long.at();
    refused(&limited(&["--resume"]), &["make room"]);
    assert_eq!(long.at(), before);
    // In a later pass: the rest is the same with room.
    long.kill_at(&["--resume"], (3, 1));
    refused(&limited(&["--resume"]), &["make room"]);
    assert!(long.at().is_some_and(|(passes, _)| passes >= 3));
    long.resume(&expected);
}

#[test]
fn only_the_same_run_is_resumed() {
    let long = Long::new("streamed-other");
    let expected = long.whole();
    refused(&long.command(&["--resume"]).output().unwrap(), &["out.npy.halofold.json", "nothing to resume"]);
    long.kill_at(&[], (1, 2));
    refused(&long.command(&[]).output().unwrap(), &["out.npy.halofold.json", "unfinished", "--resume"]);
    let file = &long.options[0];
    let other = |change: &dyn Fn(&mut Vec<String>), parts: &[&str]| {
        let mut options = long.options.clone();
        options.extend(["--slab", "40", "--depth", "3", "--resume", "-o", &long.out].map(str::to_owned));
        change(&mut options);
        refused(&files::stencil(&options.iter().map(String::as_str).collect::<Vec<_>>()), parts);
    };
    let set = |option: &'static str, value: &'static str| {
        move |options: &mut Vec<String>| {
            let at = options.iter().position(|given| given == option).unwrap();
            options[at + 1] = value.to_owned();
        }
    };
    other(&set("--steps", "121"), &["steps", "120", "121"]);
    other(&set("--weights", "0.2,0.18"), &["weights", "0.19", "0.18"]);
    other(&set("--boundary", "reflect"), &["boundary", "wrap", "reflect"]);
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
