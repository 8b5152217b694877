//! `halofold histogram`: its drawing and its streams. Counts are compared with NumPy's in `reduce`.

use std::fs;

use serde_json::{Value, json};

use crate::files::{Folder, assert_has, encode, npy, parsed};
use crate::keys::assert_documented;

fn array(kind: &str, numbers: &[f64]) -> Vec<u8> {
    let bytes: Vec<_> = numbers.iter().flat_map(|x| encode(kind, *x)).collect();
    npy(&format!("<{kind}"), false, &[numbers.len()], &bytes)
}

#[test]
fn a_histogram_is_drawn_and_written() {
    let folder = Folder::new("histogram-drawn");
    folder.write("a.npy", &array("f4", &[0.0, 0.25, 0.3, 0.5, 1.0, -7.0, f64::NAN]));
    let text = folder.fine("histogram a.npy --bins=4 --range=0,1 -o counts.npy");
    let bar = format!("0.25  2  {}\n", "█".repeat(50));
    assert_has(&text, &["a.npy: 7 f32, 5 of them in the range, 4 bins from 0 to 1\n", &bar]);
    let bytes = [1u64, 2, 1, 1].map(u64::to_le_bytes).concat();
    assert!(fs::read(folder.path("counts.npy")).unwrap().ends_with(&bytes));
}

#[test]
fn streams_are_counted_and_edges_are_numpys() {
    let folder = Folder::new("histogram-streams");
    let numbers: Vec<_> = (0..5000).map(|i| f64::from(i * 7919 % 5000 - 2500)).collect();
    folder.write("a.npy", &array("i4", &numbers));
    folder.write("empty.npy", &array("f4", &[]));
    let got: Value = parsed(&folder.run("histogram - --bins=20 --json < a.npy"));
    assert_documented(&got, "`histogram`");
    assert_eq!(got["counts"], json!(vec![250; 20]));
    assert_eq!((&got["edges"][1], &got["dtype"]), (&json!(-2250.05), &json!("f8")));
    let got: Value = parsed(&folder.run("histogram - --bins=2 --json < empty.npy"));
    assert_eq!((&got["counts"], &got["edges"]), (&json!([0, 0]), &json!([0.0, 0.5, 1.0])));
}
