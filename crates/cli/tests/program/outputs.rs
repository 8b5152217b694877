//! Files that the program writes: an earlier file stays until the new one is complete. Limits and signals are
//! those of Unix.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Output};

use crate::files::{Folder, command, limited, names_in, npy, refused};

/// A folder with a grid of zeros but for one cell, and its file.
fn folder(name: &str) -> (Folder, String) {
    let folder = Folder::new(name);
    let mut cells = vec![0f32; 64 * 64];
    cells[100] = 1.0;
    let path = folder.write("grid.npy", &npy("<f4", false, &[64, 64], bytemuck::cast_slice(&cells)));
    (folder, path)
}

#[test]
fn outputs_that_cannot_be_written_are_errors_and_leave_no_files() {
    let (folder, path) = folder("outputs-large");
    let out = folder.path("out.npy");
    let larger = limited("ulimit -f 1", &command("stencil", &[&path, "--steps", "0", "-o", &out]));
    refused(&larger, &["exceeds the system"]);
    assert_eq!(names_in(&folder.0).len(), 1);
}

/// Interrupts a command as soon as its log has `begun`, in which `meanwhile` looks around; then the log has `ended`.
fn interrupted(command: &mut Command, begun: &str, meanwhile: impl FnOnce(), ended: &str) -> Output {
    let mut child = command.env("RUST_LOG", "halofold=debug").spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines().map(|line| line.unwrap());
    assert!(log.any(|line| line.contains(begun)), "{begun} never begins");
    meanwhile();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success() && (ended.is_empty() || log.any(|line| line.contains(ended))));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    output
}

#[test]
fn an_interrupted_ladder_shows_its_rows_on_every_adapter() {
    let record = Folder::new("outputs-ladder").path("record.json");
    let mut ladder = command("ladder", &["--n", "2^10", "--samples", "500", "--record", &record]);
    // The fourth row is begun.
    let output = interrupted(&mut ladder, "interleaved-strided", || (), "interrupted after ");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("PASS") && !text.contains("single-pass"), "{text}");
    assert!(fs::read_to_string(record).unwrap().contains("\"pass\""));
}

#[test]
fn an_interrupt_leaves_nothing_unfinished_on_every_adapter() {
    let (folder, path) = folder("outputs-interrupt");
    let old = folder.write("old.npy", b"old");
    let mut steps = command("stencil", &[&path, "--steps", "4000000000", "-o", &old]);
    // The kernel is compiled: the output is there, and the steps begin.
    interrupted(&mut steps, "register-rows", || assert_eq!(names_in(&folder.0).len(), 3), "");
    assert_eq!(names_in(&folder.0).len(), 2);
    assert_eq!(fs::read(&old).unwrap(), b"old");
}
