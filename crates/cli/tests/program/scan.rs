//! `halofold scan`: exact sums, exclusive results and streams. Results are compared with NumPy's in `reduce`.

use std::fs;

use serde_json::{Value, json};

use crate::files::{Folder, npy, parsed};
use crate::keys::assert_documented;

#[test]
fn exclusive_results_begin_with_the_identity() {
    let folder = Folder::new("scan-exclusive");
    folder.write("a.npy", &npy("|i1", false, &[2, 3], &[5, 254, 7, 1, 1, 130]));
    for (options, expected) in [
        ("--axis=1", [0i64, 5, 3, 0, 1, 2].map(i64::to_le_bytes).concat()),
        ("--op=min", vec![127, 5, 254, 254, 254, 254]),
    ] {
        folder.fine(&format!("scan a.npy --exclusive --verify -o out.npy {options}"));
        assert_eq!(fs::read(folder.path("out.npy")).unwrap()[128..], expected, "{options}");
    }
}

#[test]
fn a_stream_is_scanned_and_described() {
    let folder = Folder::new("scan-stream");
    folder.write("bytes", &[1.5f32, -2.0, 4.0].map(f32::to_le_bytes).concat());
    let request = "scan - --raw=f32 --shape=-1,3 --axis=-1 -o out.npy --json < bytes";
    let [row]: [Value; 1] = parsed(&folder.run(request));
    assert_documented(&row, "`reduce`");
    let keys = ["axis", "shape", "dtype", "n", "output"].map(|key| &row[key]);
    assert_eq!(json!(keys), json!([1, [1, 3], "f4", 3, "out.npy"]));
    let expected = [1.5f32, -0.5, 3.5].map(f32::to_le_bytes).concat();
    assert!(fs::read(folder.path("out.npy")).unwrap().ends_with(&expected));
}
