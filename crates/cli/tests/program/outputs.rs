//! Files that the program writes: an earlier file stays until the new one is complete.

use std::fs;

use crate::files::{Folder, command, fine, limited, names_in, npy, reduce, refused};

/// A grid of zeros but for one cell.
fn grid() -> Vec<u8> {
    let mut cells = vec![0f32; 64 * 64];
    cells[100] = 1.0;
    npy("<f4", false, &[64, 64], bytemuck::cast_slice(&cells))
}

#[test]
fn outputs_replace_older_ones() {
    let folder = Folder::new("outputs-older");
    let path = folder.write("grid.npy", &grid());
    let out = folder.write("out.npy", &vec![7; 100_000]);
    fine(&["stencil", &path, "--steps", "0", "-o", &out]);
    assert_eq!(fs::read(&out).unwrap().len(), grid().len());
    assert_eq!(names_in(&folder.0).len(), 2);
}

#[cfg(unix)]
#[test]
fn outputs_that_cannot_be_written_are_errors_and_leave_no_files() {
    let folder = Folder::new("outputs-large");
    let path = folder.write("grid.npy", &grid());
    let nowhere = folder.path("nowhere/out.npy");
    refused(&reduce(&[&path, "--axis", "0", "-o", &nowhere]), &["no such folder"]);
    let out = folder.path("out.npy");
    let larger = limited("ulimit -f 1", &command("stencil", &[&path, "--steps", "0", "-o", &out]));
    refused(&larger, &["larger than the system allows"]);
    assert_eq!(names_in(&folder.0).len(), 1);
}

#[test]
fn a_closed_pipe_is_quiet() {
    let folder = Folder::new("outputs-pipe");
    let path = folder.write("grid.npy", &grid());
    for (subcommand, args) in [
        ("ladder", &["--n", "100", "--samples", "1"][..]),
        ("reduce", &[&path, "--json"]),
        ("reduce", &[&path]),
    ] {
        let mut child = command(subcommand, args).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{message}");
        assert!(!message.contains("panicked") && !message.contains("pipe"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_ladder_shows_its_rows_on_every_adapter() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Command;

    let folder = Folder::new("outputs-ladder");
    let record = folder.path("record.json");
    let args = ["--n", "2^10", "--samples", "500", "--record", &record];
    let mut child = command("ladder", &args).env("RUST_LOG", "halofold=debug").spawn().unwrap();
    // The second row is begun.
    let log = BufReader::new(child.stderr.take().unwrap());
    let mut lines = log.lines().map(|line| line.unwrap());
    assert!(lines.any(|line| line.contains("interleaved-modulo-pair")), "the second row never begins");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(lines.any(|line| line.contains("interrupted")));
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("PASS") && !text.contains("single-pass"), "{text}");
    assert!(fs::read_to_string(record).unwrap().contains("\"pass\""));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_unfinished_on_every_adapter() {
    use std::io::{BufRead as _, BufReader};
    use std::process::Command;

    let folder = Folder::new("outputs-interrupt");
    let path = folder.write("grid.npy", &grid());
    let old = folder.write("old.npy", b"old");
    let args = [&*path, "--steps", "4000000000", "-o", &old];
    let mut child = command("stencil", &args).env("RUST_LOG", "halofold=debug").spawn().unwrap();
    // The kernel is compiled: the output is there, and the steps begin.
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(log.any(|line| line.unwrap().contains("register-rows")), "the run never starts");
    assert_eq!(names_in(&folder.0).len(), 3);
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(names_in(&folder.0).len(), 2);
    assert_eq!(fs::read(&old).unwrap(), b"old");
}
