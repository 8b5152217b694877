//! NumPy writes the files, and its own results are what halofold's are held against.

use std::process::Command;

use halofold::Element;
use halofold::reduce::Op;
use serde_json::Value as Json;

use super::{few, names, of_one_input, runnable, tolerance};
use crate::files::python::python;
use crate::files::{Folder, dtype, npy, reduce as run, rows, stdout};
use crate::number::{Number, close, flattened};

/// Writes arrays of every type, both orders and one to four dimensions, and what NumPy makes of each axis.
const NUMPY: &str = r#"
import json, sys
import numpy as np
random = np.random.default_rng(11)
folder = sys.argv[1]
out = []

def answers(a, b, kind, axis):
    # Floats of 16 bits give 32-bit results here, hence more digits.
    x, y = (a.astype('f8'), b.astype('f8')) if kind[0] == 'f' else (a, b)
    wide = a.astype(object)
    f = a.astype('f8')
    found = {
        'sum': np.sum(x, axis), 'product': np.prod(x, axis), 'mean': np.mean(x, axis),
        'min': np.min(x, axis), 'max': np.max(x, axis),
        'min-max': np.stack([np.min(x, axis), np.max(x, axis)], -1),
        'arg-min': np.argmin(a, axis), 'arg-max': np.argmax(a, axis),
        'variance': np.var(f, axis), 'sample-variance': np.var(f, axis, ddof=1),
        'std': np.std(f, axis), 'sample-std': np.std(f, axis, ddof=1),
        'dot': np.sum(x * y, axis, dtype=x.dtype),
        'l2': np.linalg.norm(f, 2, axis), 'count': np.count_nonzero(a, axis),
        'any': np.any(a, axis), 'all': np.all(a, axis),
        'log-sum-exp': np.logaddexp.reduce(f, axis),
    }
    if kind[0] == 'f':
        found['l1'] = np.linalg.norm(f, 1, axis)
        found['max-norm'] = np.linalg.norm(f, np.inf, axis)
    else:
        found['l1'] = np.sum(np.abs(wide), axis)
        found['max-norm'] = np.max(np.abs(wide), axis)
        found['wide-sum'] = np.sum(wide, axis)
        found['and'] = np.bitwise_and.reduce(a, axis)
        found['or'] = np.bitwise_or.reduce(a, axis)
        found['xor'] = np.bitwise_xor.reduce(a, axis)
    return {op: np.asarray(value).tolist() for op, value in found.items()}

for kind in ['u4', 'i4', 'f4', 'f8', 'i8', 'u8', 'f2']:
    for layout in 'CF':
        for shape in [(23,), (7, 9), (4, 3, 5), (3, 4, 2, 5)]:
            def make():
                if kind[0] == 'f':
                    return np.asarray(random.uniform(0.5, 2, shape), dtype=kind, order=layout)
                info = np.iinfo(kind)
                a = random.integers(info.min, info.max, shape, kind, endpoint=True)
                return np.asarray(np.where(random.random(shape) < 0.1, 0, a).astype(kind), order=layout)
            a, b = make(), make()
            names = ['%s/%s-%d-%s.npy' % (folder, kind, len(out), which) for which in 'ab']
            np.save(names[0], a)
            np.save(names[1], b)
            axes = [answers(a, b, kind, axis) for axis in range(len(shape))]
            out.append({'files': names, 'dtype': kind, 'scale': float(np.mean(np.abs(a.astype('f8')))), 'axes': axes})
print(json.dumps(out))
"#;

/// The type and shape of an array as NumPy loads it, and whether it is what NumPy itself gives.
const COMPARE: &str = r#"
import sys
import numpy as np
a, got = np.load(sys.argv[1]), np.load(sys.argv[2])
want = {'sum': np.sum, 'std': np.std, 'arg-max': np.argmax, 'any': np.any, 'count': np.count_nonzero}[sys.argv[3]](a, axis=int(sys.argv[4]))
assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
assert np.allclose(got, want), (got, want)
"#;

#[test]
fn agrees_with_numpy_along_every_axis() {
    let Some(python) = python() else { return };
    let folder = Folder::new("reduce-axis-numpy");
    let written = Command::new(python).args(["-c", NUMPY, folder.0.to_str().unwrap()]).output().unwrap();
    let written = rows(&written);
    assert_eq!(written.len(), 7 * 2 * 4);
    for element in Element::ALL {
        let ops = of_one_input(element);
        let few = few(&ops);
        if few.is_empty() {
            continue;
        }
        let dimensions = |file: &Json| file["axes"].as_array().unwrap().len();
        for (axis, ops) in [(-1, &ops), (0, &few), (1, &few), (-2, &few)] {
            let has = |file: &&Json| {
                let dimensions = dimensions(file) as i64;
                file["dtype"] == dtype(element).as_str() && (-dimensions..dimensions).contains(&axis)
            };
            let files: Vec<_> = written.iter().filter(has).collect();
            let names_of: Vec<_> = files.iter().map(|file| file["files"][0].as_str().unwrap()).collect();
            let axis_text = axis.to_string();
            let options = ["--axis", &axis_text, "--op", &names(ops), "--json"];
            let rows = rows(&run(&[&names_of[..], &options].concat()));
            for (file, rows) in files.iter().zip(rows.chunks(ops.len())) {
                let axis = axis.rem_euclid(dimensions(file) as i64) as usize;
                compare_with_numpy(file, axis, ops, rows, element);
            }
        }
        // A dot product has a second input for its only one.
        let pair =
            written.iter().find(|file| file["dtype"] == dtype(element).as_str() && dimensions(file) == 3);
        let pair = pair.filter(|_| runnable(element).contains(&Op::Dot));
        for (axis, file) in pair.iter().flat_map(|file| (0..3).map(move |axis| (axis, file))) {
            let name = |k: usize| file["files"][k].as_str().unwrap();
            let axis_text = axis.to_string();
            let output = run(&[name(0), "--with", name(1), "--axis", &axis_text, "--op", "dot", "--json"]);
            compare_with_numpy(file, axis, &[Op::Dot], &rows(&output), element);
        }
    }
}

fn compare_with_numpy(file: &Json, axis: usize, ops: &[Op], rows: &[Json], element: Element) {
    for (op, row) in ops.iter().zip(rows) {
        let Some(want) = file["axes"][axis].get(op.name()) else { continue };
        let key = if matches!(op, Op::ArgMin | Op::ArgMax) { "index" } else { "value" };
        let what = format!("{op} of {} along {axis}", file["files"][0]);
        let (got, want) = (flattened(&row[key]), flattened(want));
        if *op == Op::Mean && !element.is_float() {
            // Positive and negative integers cancel, which NumPy rounds.
            let most = file["scale"].as_f64().unwrap() * 1e-12;
            let near = |(a, b): (&Number, &Number)| (a.as_f64() - b.as_f64()).abs() <= most;
            assert!(got.len() == want.len() && got.iter().zip(&want).all(near), "{what}: {got:?}, {want:?}");
        } else {
            close(&got, &want, tolerance(*op, element), &what);
        }
    }
}

#[test]
fn numpy_loads_what_is_written() {
    let Some(python) = python() else { return };
    let folder = Folder::new("reduce-axis-load");
    let data: Vec<u8> = (0..120i32).flat_map(|x| (x * 37 % 121 - 60).to_le_bytes()).collect();
    for fortran in [false, true] {
        let file = folder.write("a.npy", &npy("<i4", fortran, &[4, 5, 6], &data));
        for op in ["sum", "std", "arg-max", "any", "count"] {
            for axis in ["0", "1", "-1"] {
                let out = folder.path("out.npy");
                stdout(&run(&[&file, "--op", op, "--axis", axis, "-o", &out, "--piece", "128"]));
                stdout(&Command::new(python).args(["-c", COMPARE, &file, &out, op, axis]).output().unwrap());
            }
        }
    }
}
