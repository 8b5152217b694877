//! `halofold reduce` with medians, quantiles and the largest elements: NumPy's results.

use std::fs;
use std::process::Command;

use serde_json::json;

use crate::files::python::python;
use crate::files::{Folder, encode, npy, parsed, reduce, reduce_on, refused, rows, stdout};

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
    for kind in ["i1", "i4", "f4", "f2", "u1"] {
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
    // Pieces of two elements, and a stream.
    let bytes: Vec<_> = numbers.iter().flat_map(|x| encode("f4", *x)).collect();
    let small = stdout(&reduce_on(&["-", "--raw=f32", "--op=top", "--k=3", "-q", "--piece=8"], &bytes));
    assert_eq!(small, "2\n6\n4\n");
    let zeros = folder.write("z.npy", &npy("<f4", false, &[5000], &[0; 20_000]));
    refused(&reduce(&[&zeros, "--op=top", "--k=4500"]), &["4500 values", "-o"]);
    let out = folder.path("places.npy");
    stdout(&reduce(&[&zeros, "--op=top", "--k=4500", "-o", &out, "--piece=8000"]));
    let places: Vec<u8> = (0..4500i64).flat_map(i64::to_le_bytes).collect();
    assert!(fs::read(out).unwrap().ends_with(&places));
    let double = folder.write("b.npy", &npy("<f8", false, &[1], &[0; 8]));
    assert!(stdout(&reduce(&[&double, "--op=top"])).contains("0 at 0"));
    refused(&reduce(&[&double, "--op=sum", "--k=3"]), &["--op top"]);
}

/// Writes arrays, and NumPy's order statistics along their axes.
const AXES: &str = r#"
import json, sys
import numpy as np
random = np.random.default_rng(7)
out = []
def case(k, a, options, want):
    file = '%s/%d.npy' % (sys.argv[1], k)
    np.save(file, a)
    np.save(file + '.want.npy', want)
    out.append([file, *options])
for k, (kind, order, axis) in enumerate([('f4', 'C', 2), ('f4', 'F', 1), ('i4', 'C', 0), ('u2', 'C', (0, 2)), ('i1', 'F', (2, 0)), ('f2', 'C', 1)]):
    a = np.asarray((random.standard_normal((5, 7, 9)) * 9 + 40).astype(kind), order=order)
    text = '--axis=' + str(axis).strip('()').replace(' ', '')
    case(3 * k, a, [text, '--op=median', '--keepdims'], np.median(a.astype('f4') if kind == 'f2' else a, axis, keepdims=True))
    wanted = np.quantile(a, [0.1, 0.8], axis, method='hazen')
    case(3 * k + 1, a, [text, '--op=quantile', '--q=0.1,0.8', '--method=hazen'], wanted)
    if type(axis) is int:
        sorted = np.moveaxis(np.argsort(a, axis, kind='stable'), axis, -1)
        case(3 * k + 2, a, [text, '--op=top', '--smallest', '--k=3'], sorted[..., :3])
a = random.standard_normal((8, 30)).astype('f4')
a[random.random(a.shape) < 0.2] = np.nan
case(20, a, ['--axis=0', '--op=median'], np.median(a, 0))
case(21, a, ['--axis=0', '--op=median', '--skip-nan'], np.nanmedian(a, 0))
print(json.dumps(out))
"#;

/// Asserts that two arrays are alike.
const ALIKE: &str = r#"
import sys
import numpy as np
for file in sys.argv[1:]:
    want, got = np.load(file + '.want.npy'), np.load(file + '.got.npy')
    assert want.shape == got.shape and np.allclose(want, got, 1e-6, equal_nan=True), (file, want, got)
"#;

#[test]
fn order_along_axes_is_numpys() {
    let Some(found) = python() else { return };
    let folder = Folder::new("quantiles-axes");
    let written = Command::new(found).args(["-c", AXES, folder.0.to_str().unwrap()]).output().unwrap();
    let cases: Vec<Vec<String>> = parsed(&written);
    for case in &cases {
        let case: Vec<_> = case.iter().map(String::as_str).collect();
        stdout(&reduce(&[&case[..], &["-o", &format!("{}.got.npy", case[0]), "--piece=512"]].concat()));
    }
    let files = cases.iter().map(|case| &case[0]);
    stdout(&Command::new(found).args(["-c", ALIKE]).args(files).output().unwrap());
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
    refused(&reduce(&[&file, "--op=quantile", "--q=1.5"]), &["1.5", "from 0 to 1"]);
    refused(&reduce(&[&file, "--q=0.5"]), &["--op quantile"]);
}
