//! `halofold histogram`, run as a program on files that are written here or by NumPy.

use std::fs;
use std::process::{Command, Output};

use crate::files::python::python;
use crate::files::{Folder, command, encode, features, npy, parsed, refused, rows, run_on, stdout};
use halofold::wgpu::Features;
use serde_json::{Value, json};

/// Writes files of every type, options, and NumPy's counts and edges.
const NUMPY: &str = r#"
import json, sys, warnings
import numpy as np
warnings.simplefilter('ignore')
random = np.random.default_rng(11)
out = []
rules = {'?': 'auto', 'u1': 'fd', 'i1': 'scott', 'u2': 'sqrt', 'i4': 'rice', 'f4': 'auto', 'f8': 'fd', 'f2': 'sturges'}
for kind in ['?', 'u1', 'i1', 'u2', 'i2', 'u4', 'i4', 'f4', 'f8', 'i8', 'u8', 'f2']:
    wide = random.standard_normal(3000) * 40 + 60 * (kind[0] != 'i')
    low, high = (np.iinfo(kind).min, np.iinfo(kind).max) if kind[0] in 'ui' else (-np.inf, np.inf)
    a = np.clip(wide if kind[0] == 'f' else wide.round(), low, high).astype('>' + kind if kind == 'i8' else kind)
    if kind[0] in 'ui': a[:2] = low, high
    file = '%s/%s.npy' % (sys.argv[1], 'bool' if kind == '?' else kind)
    np.save(file, a)
    more = (rules[kind], None) if kind in rules else (7, (20, 20))
    inside = [('fd', (-20.5, 70)), ('scott', (3, 70.5))] if kind in ['u4', 'i4', 'f4', 'f8', 'i8'] else []
    for bins, range in [(256, None), (100, (-12.3, 45.6)), more, *inside]:
        counts, edges = np.histogram(a, bins, range)
        args = [file, '--bins', str(bins)] + (['--range=%r,%r' % range] if range else [])
        out.append({'args': args, 'counts': counts.tolist(), 'edges': edges.tolist(), 'dtype': edges.dtype.str[1:]})
print(json.dumps(out))
"#;

fn histogram(args: &[&str]) -> Output {
    command("histogram", args).output().unwrap()
}

/// An array of one dimension.
fn array(kind: &str, numbers: &[f64]) -> Vec<u8> {
    let bytes: Vec<_> = numbers.iter().flat_map(|x| encode(kind, *x)).collect();
    npy(&format!("<{kind}"), false, &[numbers.len()], &bytes)
}

#[test]
fn counts_and_edges_are_numpys() {
    let Some(found) = python() else { return };
    let folder = Folder::new("histogram-numpy");
    let written = Command::new(found).args(["-c", NUMPY, folder.0.to_str().unwrap()]).output();
    for case in rows(&written.unwrap()) {
        let args = case["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
        let args: Vec<_> = args.chain(["--json"]).collect();
        let output = histogram(&args);
        // The range of 64-bit integers and deviations of 64-bit elements need more than some adapters have.
        let lacks = |feature| {
            let why = format!("{feature}, which this adapter lacks");
            String::from_utf8_lossy(&output.stderr).contains(&why)
        };
        let needed = [("SHADER_INT64", Features::SHADER_INT64), ("SHADER_F64", Features::SHADER_F64)];
        if needed.iter().any(|(name, feature)| lacks(name) && !features().contains(*feature)) {
            continue;
        }
        let got: Value = parsed(&output);
        for key in ["counts", "edges", "dtype"] {
            assert_eq!(got[key], case[key], "{key} of {args:?}");
        }
    }
}

#[test]
fn a_histogram_is_drawn_and_written() {
    let folder = Folder::new("histogram-drawn");
    let file = folder.write("a.npy", &array("f4", &[0.0, 0.25, 0.3, 0.5, 1.0, -7.0, f64::NAN]));
    let [counts, svg] = ["counts.npy", "plot.svg"].map(|name| folder.path(name));
    let text = stdout(&histogram(&[&file, "--bins=4", "--range=0,1", "-o", &counts, "--svg", &svg]));
    assert!(text.contains("a.npy: 7 f32, 5 of them in the range, 4 bins from 0 to 1\n"), "{text}");
    assert!(text.contains(&format!("0.25  2   {}\n", "█".repeat(50))), "{text}");
    let bytes = [1u64, 2, 1, 1].map(u64::to_le_bytes).concat();
    assert!(fs::read(counts).unwrap().ends_with(&bytes));
    let svg = fs::read_to_string(svg).unwrap();
    assert!(svg.contains("<polyline") && svg.contains("Histogram of"), "{svg}");
}

/// Of a stream, in pieces, and of bare elements of 16 bits, whose range is found in the same pass.
#[test]
fn pieces_and_streams_make_the_same_counts() {
    let folder = Folder::new("histogram-pieces");
    let numbers: Vec<_> = (0..5000).map(|i| f64::from(i * 7919 % 5000 - 2500)).collect();
    let file = folder.write("a.npy", &array("i4", &numbers));
    let counts = |output: &Output| parsed::<Value>(output)["counts"].clone();
    let whole = counts(&histogram(&[&file, "--bins=20", "--json"]));
    assert_eq!(whole, json!(vec![250; 20]));
    assert_eq!(counts(&histogram(&[&file, "--bins=20", "--piece=1000", "--json"])), whole);
    let bare: Vec<_> = numbers.iter().flat_map(|x| encode("i2", *x)).collect();
    let streamed = run_on(&mut command("histogram", &["-", "--raw=i16", "--bins=20", "--json"]), &bare);
    assert_eq!(counts(&streamed), whole);
    let long: Vec<_> = numbers.iter().flat_map(|x| encode("f4", *x)).collect();
    let stream =
        |args: &[&str]| run_on(&mut command("histogram", &[&["-", "--raw=f32"], args].concat()), &long);
    assert_eq!(counts(&stream(&["--range=-2500,2499", "--bins=20", "--json"])), whole);
    refused(&stream(&[]), &["--range LOW,HIGH"]);
}

#[test]
fn wrong_requests_name_the_remedy() {
    let folder = Folder::new("histogram-refused");
    let file = folder.write("a.npy", &array("f4", &[1.0, f64::NAN]));
    for (options, parts) in [
        (&[][..], &["a.npy: the elements reach from NaN", "--range LOW,HIGH"][..]),
        (&["--range=1,0"], &["1 is above 0"]),
        (&["--range=0,inf"], &["finite"]),
        (&["--range=3"], &["two numbers with a comma"]),
        (&["--range=-1e308,1e308"], &["no width that floats hold"]),
        (&["--bins=0"], &["is not from 1 to 65536", "sturges"]),
        (&["--range=0,1", "-o", "counts.txt"], &["must end in .npy"]),
        (&["--range=0,1", "--svg", &file], &["is the input"]),
    ] {
        refused(&histogram(&[&[file.as_str()], options].concat()), parts);
    }
    let empty = folder.write("empty.npy", &array("f4", &[]));
    let got: Value = parsed(&histogram(&[&empty, "--bins=2", "--json"]));
    assert_eq!((&got["counts"], &got["edges"]), (&json!([0, 0]), &json!([0.0, 0.5, 1.0])));
}
