//! Files that the program writes: what was there before stays until there is something better.

use std::fs;

use crate::files::{Folder, command, npy, refused, stdout};

/// A grid of zeros but for one cell.
fn grid() -> Vec<u8> {
    let mut cells = vec![0f32; 64 * 64];
    cells[100] = 1.0;
    npy("<f4", false, &[64, 64], bytemuck::cast_slice(&cells))
}

#[test]
fn the_input_is_no_output() {
    let folder = Folder::new("outputs-input");
    let path = folder.write("grid.npy", &grid());
    let again = folder.path("../outputs-input/grid.npy");
    let record = folder.write("record.json", b"[]");
    for (subcommand, args) in [
        ("stencil", vec![&*path, "-o", &again]),
        ("reduce", vec![&path, "--axis", "0", "-o", &again]),
        ("ladder", vec!["--input", &path, "--record", &again]),
        ("report", vec![&record, "-o", &record]),
    ] {
        refused(&command(subcommand, &args).output().unwrap(), &["is the input"]);
    }
    assert_eq!(fs::read(&path).unwrap(), grid());
}

#[test]
fn outputs_replace_older_ones() {
    let folder = Folder::new("outputs-older");
    let path = folder.write("grid.npy", &grid());
    let out = folder.write("out.npy", &vec![7; 100_000]);
    stdout(&command("stencil", &[&path, "--steps", "0", "-o", &out]).output().unwrap());
    assert_eq!(fs::read(&out).unwrap().len(), grid().len());
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_unfinished() {
    use std::process::Command;
    use std::time::{Duration, Instant};

    let folder = Folder::new("outputs-interrupt");
    let path = folder.write("grid.npy", &grid());
    let old = folder.write("old.npy", b"old");
    let frames = folder.path("frames");
    let args = [&*path, "--steps", "4000000000", "-o", &old, "--frames", &frames, "--every", "2000000000"];
    let mut child = command("stencil", &args).spawn().unwrap();
    let started = Instant::now();
    while !folder.0.join("frames/frame-000000.png").exists() {
        assert!(started.elapsed() < Duration::from_secs(60), "the run never starts");
        std::thread::sleep(Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let names =
        |path| fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
    assert_eq!(names(frames), ["frame-000000.png"]);
    assert_eq!(names(folder.0.to_str().unwrap().to_owned()).len(), 3);
    assert_eq!(fs::read(&old).unwrap(), b"old");
}
