//! `halofold reduce --by`: results by group are NumPy's over the elements of each label.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::files::python::python;
use crate::files::{Folder, encode, npy, parsed, reduce, refused, rows, stdout};

/// Writes arrays with labels, and NumPy's results over the elements of each label.
const NUMPY: &str = r#"
import json, sys
import numpy as np
random = np.random.default_rng(3)
out = []
functions = {'sum': np.sum, 'mean': np.mean, 'count': np.count_nonzero, 'min': np.min, 'max': np.max, 'variance': np.var}
for k, (kind, label) in enumerate([('f4', 'i8'), ('i4', '>i2'), ('u1', '?'), ('f4', 'u1'), ('i2', 'u8')]):
    values = (random.standard_normal((30, 41)) * 9 + 40).astype(kind)
    labels = random.integers(0, 40, values.shape)
    labels = labels > 7 if label == '?' else (labels * (10**15 if label == 'i8' else 1) - 20 * ('i' in label)).astype(label)
    files = ['%s/%d%s.npy' % (sys.argv[1], k, name) for name in 'vl']
    np.save(files[0], values)
    np.save(files[1], labels)
    groups = [(key.item(), values[labels == key].astype('f8')) for key in np.unique(labels)]
    results = [[key, len(group), op, float(f(group))] for key, group in groups for op, f in functions.items()]
    out.append([files, results])
print(json.dumps(out))
"#;

#[test]
fn groups_are_numpys() {
    let Some(found) = python() else { return };
    let folder = Folder::new("by-numpy");
    let written = Command::new(found).args(["-c", NUMPY, folder.0.to_str().unwrap()]).output().unwrap();
    let cases: Vec<(Vec<String>, Vec<Value>)> = parsed(&written);
    for (files, results) in cases {
        let by = [&files[0], "--by", &files[1], "--op=sum,mean,count,min,max,variance", "--json", "--verify"];
        let rows = rows(&reduce(&[&by[..], &["--piece=1000"]].concat()));
        assert_eq!(rows.len(), results.len(), "{files:?}");
        for (row, result) in rows.iter().zip(&results) {
            assert_eq!(json!([row["key"], row["n"], row["op"]]), json!([result[0], result[1], result[2]]));
            let [got, want] = [&row["value"], &result[3]].map(|number| number.as_f64().unwrap());
            assert!((got - want).abs() <= 2e-6 * want.abs(), "{row} instead of {want}");
        }
    }
}

#[test]
fn results_and_labels_are_arrays_and_sums_are_exact() {
    let folder = Folder::new("by-arrays");
    let array = |name: &str, kind: &str, numbers: &[f64]| {
        let bytes: Vec<_> = numbers.iter().flat_map(|x| encode(kind, *x)).collect();
        folder.write(name, &npy(&format!("<{kind}"), false, &[numbers.len()], &bytes))
    };
    let mut numbers = vec![1e-3; 65_536];
    numbers.extend([1e8, 2.5, f64::NAN, -1e8]);
    let mut labels = vec![9.0; 65_536];
    labels.extend([9.0, -4.0, -4.0, 9.0]);
    let [values, labels] = [array("v.npy", "f4", &numbers), array("l.npy", "i2", &labels)];
    let [out, keys] = ["out.npy", "keys.npy"].map(|name| folder.path(name));
    let by = [&*values, "--by", &*labels, "--skip-nan", "--exact"];
    let text = stdout(&reduce(&[&by[..], &["-o", &out, "--keys", &keys]].concat()));
    assert!(text.contains("[2] f4 in ") && text.contains("1 skipped"), "{text}");
    let sum = (65_536.0 * f64::from(1e-3f32)) as f32;
    assert!(fs::read(&out).unwrap().ends_with(&[2.5f32, sum].map(f32::to_le_bytes).concat()));
    assert!(fs::read(&keys).unwrap().ends_with(&[-4i16, 9].map(i16::to_le_bytes).concat()));
    let text = stdout(&reduce(&[&by[..3], &["--skip-nan", "--adapters", "all"]].concat()));
    assert!(text.contains("key -4  2.5"), "{text}");
    for (options, why) in [
        (&["--by", &values][..], "labels are integers"),
        (&["--by", &keys], "another shape"),
        (&["--by", &labels, "--op=median"], "not found by group"),
        (&["--by", &labels, "--axis=0"], "cannot be used"),
    ] {
        refused(&reduce(&[&[&*values], options].concat()), &[why]);
    }
}
