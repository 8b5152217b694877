//! `halofold reduce` with medians, quantiles and the largest elements: NumPy's results.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::files::python::python;
use crate::files::{Folder, encode, npy, reduce, reduce_on, refused, rows, stdout};

/// Writes a file of every type, some with NaNs, and NumPy's medians and quantiles.
const NUMPY: &str = r#"
import json, sys
import numpy as np
random = np.random.default_rng(5)
methods = ['linear', 'lower', 'higher', 'midpoint', 'nearest', 'hazen', 'weibull', 'median_unbiased', 'normal_unbiased',
    'inverted_cdf', 'averaged_inverted_cdf', 'closest_observation', 'interpolated_inverted_cdf']
out = []
for k, kind in enumerate(['u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'u8', 'i8', 'f4', 'f8', 'f2', 'f4', 'f8', 'f2']):
    n = 1000 + 7 * k
    a = random.standard_normal(n) * 20 + 60 * (kind[0] == 'u')
    a = np.clip(a, 0, 127) if kind[0] == 'u' else np.clip(a, -60, 60)
    a = (a.round() if kind[0] != 'f' else a).astype('>' + kind if k % 3 == 1 else kind)
    if k > 10: a[::9] = np.nan
    file = '%s/%d.npy' % (sys.argv[1], k)
    np.save(file, a)
    a = a[~np.isnan(a)]
    q = [0, 0.05, 1 / 3, 0.5, 0.95, 1]
    for method in [methods[k % 13], methods[(k + 5) % 13]]:
        args = [file, '--op', 'max,median,quantile', '--q', ','.join(map(repr, q)), '--method', method, '--skip-nan']
        values = [a.max(), np.median(a.astype('f4') if kind == 'f2' else a), *np.quantile(a, q, method=method)]
        out.append({'args': args, 'skipped': n - len(a), 'values': [float(x) for x in values]})
print(json.dumps(out))
"#;

#[test]
fn medians_and_quantiles_are_numpys() {
    let Some(found) = python() else { return };
    let folder = Folder::new("quantiles-numpy");
    let written = Command::new(found).args(["-c", NUMPY, folder.0.to_str().unwrap()]).output();
    for case in rows(&written.unwrap()) {
        let args = case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
        let mut args: Vec<_> = args.chain(["--json", "--piece=2000"]).collect();
        let mut expected = &case["values"].as_array().unwrap()[..];
        let mut output = reduce(&args);
        // Medians need no feature of the adapter; of some types the maximum does.
        if !output.status.success() {
            (args[2], expected) = ("median,quantile", &expected[1..]);
            output = reduce(&args);
        }
        let rows = rows(&output);
        let values: Vec<_> = rows.iter().map(|row| row["value"].clone()).collect();
        let values: Vec<_> = values.iter().map(|value| value.as_f64().unwrap()).collect();
        let expected: Vec<_> = expected.iter().map(|value| value.as_f64().unwrap()).collect();
        assert_eq!(values, expected, "{args:?}");
        assert!(rows.iter().all(|row| row["skipped"] == case["skipped"]), "{args:?}");
        assert_eq!(rows.last().unwrap()["q"], 1.0);
    }
}

#[test]
fn the_largest_and_smallest_come_in_order_with_their_places() {
    let folder = Folder::new("quantiles-top");
    let numbers = [3.0, -8.0, 100.0, 3.0, 7.0, -8.0, 100.0];
    for kind in ["i1", "i4", "f4", "u1"] {
        let numbers = numbers.map(|x: f64| if kind == "u1" { x + 20.0 } else { x });
        let bytes: Vec<_> = numbers.iter().flat_map(|x| encode(kind, *x)).collect();
        let file = folder.write("a.npy", &npy(&format!("<{kind}"), false, &[7], &bytes));
        for (options, places) in [(&["--k=3"][..], &[2, 6, 4][..]), (&["--smallest"], &[1, 5, 0, 3, 4, 2, 6])]
        {
            let args = [&[&file, "--op=top", "--json"], options].concat();
            let row = &rows(&reduce(&args))[0];
            assert_eq!(row["index"], json!(places), "{kind}");
            let values: Vec<_> = places.iter().map(|place| numbers[*place]).collect();
            let found = row["value"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap());
            assert_eq!(found.collect::<Vec<_>>(), values, "{kind}");
        }
        let text = stdout(&reduce(&[&file, "--op=max,top,median", "--k=1"]));
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.lines().nth(1).unwrap().ends_with(" at 2]"), "{text}");
    }
    let double = folder.write("b.npy", &npy("<f8", false, &[1], &[0; 8]));
    refused(&reduce(&[&double, "--op=top"]), &["b.npy", "not f64"]);
    refused(&reduce(&[&double, "--op=sum", "--k=3"]), &["--op top"]);
}

#[test]
fn quantiles_have_lines_and_an_array_and_nans_and_streams_are_seen() {
    let folder = Folder::new("quantiles");
    let array = |kind: &str, numbers: &[f64]| {
        let bytes: Vec<_> = numbers.iter().flat_map(|x| encode(kind, *x)).collect();
        (folder.write("a.npy", &npy(&format!("<{kind}"), false, &[numbers.len()], &bytes)), bytes)
    };
    let (file, _) = array("f4", &[4.0, -1.5, 0.0, 9.0]);
    let out = folder.path("out.npy");
    let text = stdout(&reduce(&[&file, "--op", "quantile", "-o", &out]));
    assert!(text.contains("quantile 0.25  f32  4  -0.375"), "{text}");
    assert!(fs::read(out).unwrap().ends_with(&[-0.375f64, 2.0, 5.25].map(f64::to_le_bytes).concat()));
    let (file, _) = array("f4", &[4.0, f64::NAN, 0.0, 9.0]);
    assert_eq!(stdout(&reduce(&[&file, "--op=median", "-q"])), "NaN\n");
    assert_eq!(stdout(&reduce(&[&file, "--op=median", "-q", "--skip-nan"])), "4.0\n");
    let (file, bytes) = array("i2", &[4.0, -300.0, 0.0, 9.0, 7.0]);
    let streamed = reduce_on(&["-", "--raw=i16", "--op=median", "-q"], &bytes);
    assert_eq!(stdout(&streamed), "4.0\n");
    refused(&reduce_on(&["-", "--raw=f32", "--op=median"], &[0; 8]), &["a stream passes once"]);
    refused(&reduce(&[&file, "--op=median", "--axis=0"]), &["--axis", "of all elements"]);
    refused(&reduce(&[&file, "--op=quantile", "--q=1.5"]), &["1.5", "from 0 to 1"]);
    refused(&reduce(&[&file, "--q=0.5"]), &["--op quantile"]);
}
