//! Booleans and integers of 8 and 16 bits: results are those of NumPy, computed here in 128 bits.

use std::fs;

use halofold::Element;
use serde_json::{Value, json};

use super::lacking;
use crate::files::layout::lines;
use crate::files::{Folder, npy, random, reduce as run, reduce_on as run_on, refused, rows, stdout};

/// A packed type: NumPy's name, this program's, what it becomes.
const TYPES: [(&str, &str, Element); 5] = [
    ("b1", "bool", Element::U32),
    ("u1", "u8", Element::U32),
    ("i1", "i8", Element::I32),
    ("u2", "u16", Element::U32),
    ("i2", "i16", Element::I32),
];

/// The operators, and the types of their results: the elements' own where it is empty.
const OPS: [(&str, &str); 15] = [
    ("sum", "64"),
    ("product", "64"),
    ("min", ""),
    ("max", ""),
    ("and", ""),
    ("or", ""),
    ("xor", ""),
    ("mean", "f8"),
    ("variance", "f8"),
    ("sample-std", "f8"),
    ("count", "i8"),
    ("arg-min", "i8"),
    ("arg-max", "i8"),
    ("any", "b1"),
    ("all", "b1"),
];

/// The operators that run here.
fn runnable(element: Element) -> Vec<(&'static str, &'static str)> {
    OPS.into_iter().filter(|(op, _)| lacking(op, element).is_empty()).collect()
}

/// The bytes of some elements, every pattern among them, and their values. What is true is any byte but zero.
fn data(kind: &str, len: usize) -> (Vec<u8>, Vec<i128>) {
    let size: usize = kind[1..].parse().unwrap();
    let mut next = random(99 + len as u64);
    let mut bytes: Vec<u8> = (0..len * size).map(|_| (next() >> 56) as u8).collect();
    if kind == "b1" {
        bytes.iter_mut().for_each(|byte| *byte = if *byte < 99 { 0 } else { *byte % 5 });
    }
    let value = |item: &[u8]| {
        let low: i128 = item.iter().rev().fold(0, |all, byte| all * 256 + i128::from(*byte));
        match &kind[..1] {
            "b" => (low != 0).into(),
            "i" if low >= 1 << (8 * size - 1) => low - (1 << (8 * size)),
            _ => low,
        }
    };
    let values = bytes.chunks_exact(size).map(value).collect();
    (bytes, values)
}

fn reversed(bytes: &[u8], size: usize) -> Vec<u8> {
    bytes.chunks_exact(size).flat_map(|item| item.iter().rev().copied()).collect()
}

/// NumPy's result over some values, for the keys `value` and `index`.
fn expected(op: &str, kind: &str, values: &[i128]) -> (Value, Value) {
    let n = values.len() as f64;
    let own = |x: i128| if kind == "b1" { json!(x != 0) } else { json!(x as i64) };
    let low = |x: i128| if kind.starts_with('u') { json!(x as u64) } else { json!(x as i64) };
    let squares = || {
        // n Σx² - (Σx)² is exact in 128 bits.
        let [one, two] = [1, 2].map(|power| values.iter().map(|x| x.pow(power)).sum::<i128>());
        (values.len() as i128 * two - one * one) as f64 / n
    };
    let first = |best: i128| values.iter().position(|x| *x == best).unwrap();
    let value = match op {
        "sum" => low(values.iter().sum()),
        "product" => low(values.iter().fold(1, |all: u64, x| all.wrapping_mul(*x as u64)).into()),
        "min" => own(*values.iter().min().unwrap()),
        "max" => own(*values.iter().max().unwrap()),
        "and" => own(values.iter().fold(-1, |all, x| all & x)),
        "or" => own(values.iter().fold(0, |all, x| all | x)),
        "xor" => own(values.iter().fold(0, |all, x| all ^ x)),
        "mean" => json!(values.iter().sum::<i128>() as f64 / n),
        "variance" => json!(squares() / n),
        "sample-std" => json!((squares() / (n - 1.0)).sqrt()),
        "count" => json!(values.iter().filter(|x| **x != 0).count()),
        "any" => json!(values.iter().any(|x| *x != 0)),
        "all" => json!(values.iter().all(|x| *x != 0)),
        "arg-min" | "arg-max" => {
            let best = if op == "arg-min" { values.iter().min() } else { values.iter().max() };
            let best = *best.unwrap();
            return (json!(best as i64), json!(first(best)));
        }
        other => unreachable!("{other}"),
    };
    (value, Value::Null)
}

/// Compares a row with values.
#[track_caller]
fn check(row: &Value, kind: &str, name: &str, values: &[i128]) {
    let op = row["op"].as_str().unwrap();
    let (value, index) = expected(op, kind, values);
    let what = format!("{op} of {} {name}", values.len());
    assert_eq!((&row["type"], &row["n"]), (&json!(name), &json!(values.len())), "{what}");
    assert_eq!(row["index"], index, "{what}");
    match value.as_f64().filter(|_| value.is_f64()) {
        // Sums of squares come from 32-bit floats; --verify knows how far off they may be.
        Some(want) => {
            let got = row["value"].as_f64().unwrap_or_else(|| panic!("{what}: {}", row["value"]));
            assert!((got - want).abs() <= 2e-6 * want.abs(), "{what}: {got} instead of {want}");
        }
        None => assert_eq!(row["value"], value, "{what}"),
    }
}

fn names(ops: &[(&str, &str)]) -> String {
    ops.iter().map(|(op, _)| *op).collect::<Vec<_>>().join(",")
}

#[test]
fn narrow_integers_and_booleans_give_numpys_results() {
    let folder = Folder::new("reduce-packed");
    for (kind, name, element) in TYPES {
        let ops = runnable(element);
        let size: usize = kind[1..].parse().unwrap();
        let mut files = Vec::new();
        // Every place of the end within a word.
        for len in [2, 3, 4, 5, 1001, 20_002] {
            let (bytes, values) = data(kind, len);
            for (order, bytes) in [('<', bytes.clone()), ('>', reversed(&bytes, size))] {
                let order = if size == 1 { '|' } else { order };
                let bytes = npy(&format!("{order}{kind}"), false, &[len], &bytes);
                files.push((folder.write(&format!("{kind}-{}.npy", files.len()), &bytes), values.clone()));
            }
        }
        let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
        for piece in ["40004", "1000000"] {
            let options = ["--op", &names(&ops), "--json", "--verify", "--piece", piece];
            let rows = rows(&run(&[&paths[..], &options].concat()));
            assert_eq!(rows.len(), files.len() * ops.len());
            for (rows, (_, values)) in rows.chunks(ops.len()).zip(&files) {
                rows.iter().for_each(|row| check(row, kind, name, values));
            }
        }
        // Two elements a piece.
        let rows = rows(&run(&[paths[6], "--op", &names(&ops), "--json", "--verify", "--piece", "8"]));
        rows.iter().for_each(|row| check(row, kind, name, &files[6].1));
    }
}

/// The space for pieces is made once, for all of them.
#[test]
fn files_of_different_widths_go_together() {
    let folder = Folder::new("reduce-packed-mixed");
    let ops = [("min", ""), ("arg-max", ""), ("xor", ""), ("count", "")];
    let packed =
        [("u1", "u8", 1000), ("u2", "u16", 99), ("i1", "i8", 2), ("i2", "i16", 1000), ("b1", "bool", 7)];
    let cases = packed.map(|(kind, name, len)| {
        let (bytes, values) = data(kind, len);
        (
            kind,
            name,
            folder.write(&format!("{kind}.npy"), &npy(&format!("<{kind}"), false, &[len], &bytes)),
            values,
        )
    });
    for count in 1..=cases.len() {
        for (start, piece) in [(0, "64"), (0, "100000"), (cases.len() - count, "100000")] {
            let cases = &cases[start..][..count];
            let files: Vec<_> = cases.iter().map(|(_, _, file, _)| file.as_str()).collect();
            let rows =
                rows(&run(&[&files[..], &["--op", &names(&ops), "--json", "--piece", piece]].concat()));
            for (rows, (kind, name, _, values)) in rows.chunks(ops.len()).zip(cases) {
                rows.iter().for_each(|row| check(row, kind, name, values));
            }
        }
    }
}

#[test]
fn one_launch_unpacks_more_than_it_has_invocations() {
    let folder = Folder::new("reduce-packed-large");
    let (bytes, values) = data("u1", 5_000_003);
    let file = folder.write("a.npy", &npy("|u1", false, &[5_000_003], &bytes));
    let ops = [("min", ""), ("arg-max", ""), ("xor", ""), ("count", "")];
    for row in rows(&run(&[&file, "--op", &names(&ops), "--json"])) {
        check(&row, "u1", "u8", &values);
    }
}

#[test]
fn results_are_written_in_numpys_types() {
    let folder = Folder::new("reduce-packed-output");
    for (kind, _, element) in TYPES {
        let (bytes, values) = data(kind, 60);
        let size: usize = kind[1..].parse().unwrap();
        let order = if size == 1 { '|' } else { '<' };
        let file = folder.write("a.npy", &npy(&format!("{order}{kind}"), false, &[3, 20], &bytes));
        for (op, result) in runnable(element) {
            let result = match result {
                "" => kind,
                "64" if kind.starts_with('u') => "u8",
                "64" => "i8",
                other => other,
            };
            let out = folder.path("out.npy");
            stdout(&run(&[&file, "--axis", "1", "--op", op, "-o", &out]));
            let written = fs::read(&out).unwrap();
            let header = String::from_utf8_lossy(&written[..128]).into_owned();
            let mark = if result.ends_with('1') { '|' } else { '<' };
            assert!(
                header.contains(&format!("'{mark}{result}'")) && header.contains("(3,)"),
                "{op}: {header}"
            );
            let width: usize = result[1..].parse().unwrap();
            assert_eq!(written.len(), 128 + 3 * width, "{op} of {kind}");
            for (item, line) in written[128..].chunks_exact(width).zip(values.chunks_exact(20)) {
                let (value, index) = expected(op, kind, line);
                let want = if index.is_null() { value } else { index };
                let low = item.iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte));
                match want {
                    Value::Bool(truth) => assert_eq!(low, u64::from(truth), "{op} of {kind}"),
                    want if want.is_f64() => {
                        let (got, want) = (f64::from_bits(low), want.as_f64().unwrap());
                        assert!((got - want).abs() <= 2e-6 * want.abs(), "{op} of {kind}: {got}, {want}");
                    }
                    want => {
                        let bits = want.as_u64().unwrap_or_else(|| want.as_i64().unwrap() as u64);
                        assert_eq!(low, bits & (u64::MAX >> (64 - 8 * width)), "{op} of {kind}");
                    }
                }
            }
        }
    }
}

#[test]
fn packed_arrays_reduce_along_every_axis() {
    let folder = Folder::new("reduce-packed-axis");
    let shape = [3, 5, 7];
    for (kind, name, element) in TYPES {
        let ops = runnable(element);
        let (bytes, values) = data(kind, 105);
        let file = folder.write("a.npy", &npy(&format!("<{kind}"), false, &shape, &bytes));
        for (axis, piece) in [(0, "1000000"), (0, "144"), (1, "60"), (2, "1000000"), (2, "28")] {
            let axis_text = axis.to_string();
            let options =
                ["--axis", &axis_text, "--op", &names(&ops), "--json", "--verify", "--piece", piece];
            for row in rows(&run(&[&[file.as_str()], &options[..]].concat())) {
                let lists = |key: &str| row[key].as_array().cloned().unwrap_or_default();
                let flat = |key: &str| -> Vec<Value> {
                    lists(key).iter().flat_map(|list| list.as_array().unwrap().clone()).collect()
                };
                let (got, places) = (flat("value"), flat("index"));
                assert_eq!(got.len(), 105 / shape[axis]);
                for ((result, value), line) in got.iter().enumerate().zip(lines(&shape, axis, false)) {
                    let line: Vec<_> = line.into_iter().map(|at| values[at]).collect();
                    let index = places.get(result).cloned().unwrap_or_default();
                    let one = json!({
                        "op": row["op"], "type": row["type"], "n": line.len(), "value": value, "index": index,
                    });
                    check(&one, kind, name, &line);
                }
            }
        }
    }
}

#[test]
fn bare_bytes_are_read_by_their_type() {
    let folder = Folder::new("reduce-packed-raw");
    for (kind, name, element) in TYPES {
        let (bytes, values) = data(kind, 333);
        let ops = names(&runnable(element));
        let file = folder.write("a.bin", &bytes);
        let options = ["--raw", name, "--op", &ops, "--json"];
        let mut all = rows(&run(&[&[file.as_str()], &options[..]].concat()));
        all.extend(rows(&run_on(&[&["-"], &options[..]].concat(), &bytes)));
        all.iter().for_each(|row| check(row, kind, name, &values));
    }
    let ragged = folder.write("ragged.bin", &[0; 3]);
    refused(&run(&[&ragged, "--raw", "i16"]), &[&ragged, "3 bytes", "2 bytes of one i16"]);
}

#[test]
fn dot_products_wrap_in_their_own_width() {
    let folder = Folder::new("reduce-packed-dot");
    for (kind, want) in [("u1", json!(44)), ("i1", json!(44)), ("b1", json!(true))] {
        let file =
            folder.write(&format!("{kind}.npy"), &npy(&format!("|{kind}"), false, &[3], &[10, 10, 10]));
        let rows = rows(&run(&[&file, "--with", &file, "--op", "dot", "--json", "--verify"]));
        assert_eq!(rows[0]["value"], want, "{kind}");
    }
}

#[test]
fn nothing_has_numpys_identities() {
    let folder = Folder::new("reduce-packed-empty");
    let file = folder.write("a.npy", &npy("|u1", false, &[0], &[]));
    let rows = rows(&run(&[&file, "--op", "and,or,min,mean", "--json"]));
    let values: Vec<_> = rows.iter().map(|row| &row["value"]).collect();
    assert_eq!(values, [&json!(255), &json!(0), &Value::Null, &Value::Null]);
}
