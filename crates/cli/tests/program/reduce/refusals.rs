//! Wrong requests: exit status 2, nothing on standard output, and a message with the limit and the remedy.

use std::fs;
#[cfg(unix)]
use std::process::Output;

use halofold::wgpu;
use serde_json::Value;

use crate::files::{Folder, npy, reduce as run, refused, stdout};
#[cfg(unix)]
use crate::files::{command, limited, rows};

fn ones(shape: &[usize]) -> Vec<u8> {
    let data = vec![1f32; shape.iter().product()];
    npy("<f4", false, shape, bytemuck::cast_slice(&data))
}

#[test]
fn files_that_cannot_be_read_hide_no_other() {
    let folder = Folder::new("refused-files");
    let whole = ones(&[9]);
    let good = folder.write("good.npy", &whole);
    let bad = [
        (folder.path("missing.npy"), "no such file"),
        (folder.0.to_str().unwrap().to_owned(), "directory"),
        (folder.write("short.npy", &whole[..whole.len() - 1]), "truncated"),
        (folder.write("headless.npy", &whole[..20]), "truncated"),
        (folder.write("empty.npy", &[]), "empty"),
        (folder.write("complex.npy", &npy("<c8", false, &[1], &[0; 8])), "numpy.abs"),
        (folder.write("bfloat16.npy", &npy("<V2", false, &[1], &[0; 2])), "bfloat16"),
        (folder.write("text.npy", b"1.0\n2.0\n3.0\n"), "--raw TYPE"),
    ];
    for (file, why) in &bad {
        refused(&run(&[file, "--json"]), &[file, why]);
    }
    let all = [&good].into_iter().chain(bad.iter().map(|(file, _)| file)).chain([&good]);
    let files: Vec<_> = all.map(String::as_str).chain(["--json"]).collect();
    let output = run(&files);
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(rows.len() == 2 && rows.iter().all(|row| row["value"] == 9.0), "{rows:?}");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(bad.iter().all(|(file, why)| errors.contains(file.as_str()) && errors.contains(why)), "{errors}");
    assert_eq!((output.status.code(), errors.lines().count()), (Some(2), bad.len()));
    let odd = folder.write("b\u{1b}[31m\n.npy", &whole);
    let shown = stdout(&run(&[&odd]));
    assert!(shown.lines().count() == 1 && shown.contains("b\u{fffd}[31m\u{fffd}.npy  sum  f32"), "{shown}");
    fs::write(folder.path("-dash.npy"), &whole).unwrap();
    let dash = crate::files::command("reduce", &["-dash.npy"]).current_dir(&folder.0).output().unwrap();
    refused(&dash, &["write ./-dash.npy"]);
}

/// On adapters without the features of 64-bit and 16-bit floats and 64-bit integers, as software GL is.
#[test]
fn missing_features_are_named_with_a_remedy() {
    let folder = Folder::new("refused-lacking");
    let adapters = pollster::block_on(halofold::adapter::list());
    for (kind, size, feature) in [
        ("f8", 8, wgpu::Features::SHADER_F64),
        ("f2", 2, wgpu::Features::SHADER_F16),
        ("i8", 8, wgpu::Features::SHADER_INT64),
    ] {
        let Some(lacking) = adapters.iter().position(|adapter| !adapter.features().contains(feature)) else {
            continue;
        };
        let lacking = lacking.to_string();
        let file = folder.write("a.npy", &npy(&format!("<{kind}"), false, &[9], &vec![0; 9 * size]));
        let on = |options: &[&str]| run(&[&[&*file, "--adapter", &lacking], options].concat());
        refused(&on(&["--op", "product"]), &["SHADER_"]);
        if kind.starts_with('f') {
            // Sums of floats are exact, in integers that every adapter has.
            refused(&on(&["--fast"]), &["SHADER_", "without --fast"]);
            stdout(&on(&["--op", "sum,mean", "--verify"]));
        }
    }
}

/// More files than a process may have open at once: macOS allows 256.
#[cfg(unix)]
#[test]
fn files_are_not_all_open_at_once() {
    let folder = Folder::new("refused-many");
    let files: Vec<_> = (0..300).map(|i| folder.write(&format!("{i}.npy"), &ones(&[i]))).collect();
    let files: Vec<_> = ["--json"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let output: Output = limited("ulimit -n 200", &command("reduce", &files));
    let rows = rows(&output);
    assert!(rows.len() == 300 && rows.iter().enumerate().all(|(i, row)| row["value"] == i as f64));
}
