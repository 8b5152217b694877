//! `halofold scan`: exact sums, exclusive results and refusals. Results are compared with NumPy's in `reduce`.

use std::fs;

use serde_json::json;

use crate::files::{Folder, command, halofold, npy, rows, run_on, stdout};
use crate::keys::assert_documented;

#[test]
fn exclusive_results_begin_with_the_identity() {
    let folder = Folder::new("scan-exclusive");
    let file = folder.write("a.npy", &npy("|i1", false, &[2, 3], &[5, 254, 7, 1, 1, 130]));
    let out = folder.path("out.npy");
    let scan = |options: &[&str]| {
        stdout(&halofold(&[&["scan", &file, "--exclusive", "--verify", "-o", &out], options].concat()));
        fs::read(&out).unwrap()[128..].to_vec()
    };
    assert_eq!(scan(&["--axis=1"]), [0i64, 5, 3, 0, 1, 2].map(i64::to_le_bytes).concat());
    assert_eq!(scan(&["--op=min"]), [127, 5, 254, 254, 254, 254]);
}

#[test]
fn exact_sums_are_rounded_once() {
    let folder = Folder::new("scan-exact");
    let data: Vec<f32> = (0..5000).map(|x| [1e8, 1e-3, -1e8][x % 3]).collect();
    let file = folder.write("a.npy", &npy("<f4", false, &[5000], bytemuck::cast_slice(&data)));
    let out = folder.path("out.npy");
    stdout(&halofold(&["scan", &file, "--exact", "--verify", "-o", &out]));
    let sums = fs::read(&out).unwrap();
    let last = f32::from_le_bytes(sums[sums.len() - 4..].try_into().unwrap());
    let expected = data.iter().map(|x| f64::from(*x)).sum::<f64>();
    assert_eq!(last, expected as f32);
}

#[test]
fn a_stream_is_scanned_and_described() {
    let folder = Folder::new("scan-stream");
    let out = folder.path("out.npy");
    let bytes: Vec<u8> = [1.5f32, -2.0, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let options = ["-", "--raw=f32", "--shape=-1,3", "--axis=-1", "-o", &out, "--json"];
    let row = rows(&run_on(&mut command("scan", &options), &bytes)).remove(0);
    assert_documented(&row, "`reduce`");
    let [axis, shape, dtype] = ["axis", "shape", "dtype"].map(|key| &row[key]);
    assert_eq!(json!([axis, shape, dtype, row["n"], row["output"]]), json!([1, [1, 3], "f4", 3, out]));
    assert!(fs::read(&out).unwrap().ends_with(&[1.5f32, -0.5, 3.5].map(f32::to_le_bytes).concat()));
}
