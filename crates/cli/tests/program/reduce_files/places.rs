//! Positions that arg-min and arg-max find among several equal elements: the first in C's order, whatever the order in memory.

use halofold::Element;
use serde_json::json;

use super::lacking;
use crate::files::layout::{in_c_order, lines};
use crate::files::{Folder, encode, npy, random, reduce as run, rows};

const SHAPES: [&[usize]; 3] = [&[3, 4], &[5, 1, 7], &[2, 3, 4, 5]];

/// The first of the best, a NaN before all, -0 below +0.
fn first(op: &str, values: &[f64]) -> usize {
    if let Some(place) = values.iter().position(|x| x.is_nan()) {
        return place;
    }
    let sign = if op == "arg-min" { 1.0 } else { -1.0 };
    let less = |a: f64, b: f64| (sign * a).total_cmp(&(sign * b)).is_lt();
    (1..values.len()).fold(0, |best, at| if less(values[at], values[best]) { at } else { best })
}

/// A few different values, so that most are there several times.
fn values(kind: &str, len: usize, seed: usize) -> Vec<f64> {
    let items: &[f64] = match (kind, seed % 3) {
        ("b1", _) => &[0.0, 1.0],
        ("u1" | "u2", _) => &[3.0, 7.0, 200.0],
        ("i1" | "i2" | "i4" | "i8", _) => &[-100.0, 0.0, 100.0],
        (_, 0) => &[0.5, -0.0, 0.0],
        (_, 1) => &[-1.5, 2.0, f64::NAN, 8.0, 8.0],
        _ => &[-1.5, 2.0, 8.0],
    };
    let mut next = random(7 + seed as u64);
    (0..len).map(|_| items[(next() >> 48) as usize % items.len()]).collect()
}

/// The types that run here.
fn kinds() -> Vec<&'static str> {
    let wide = [("f2", Element::F16), ("f8", Element::F64), ("i8", Element::I64)];
    let wide =
        wide.into_iter().filter(|(_, element)| lacking("arg-min", *element).is_empty()).map(|(kind, _)| kind);
    ["b1", "u1", "i1", "u2", "i2", "i4", "f4"].into_iter().chain(wide).collect()
}

#[test]
fn ties_are_the_first_in_cs_order() {
    let folder = Folder::new("reduce-ties");
    for kind in kinds() {
        let mut cases = Vec::new();
        for (seed, shape) in (0..3).flat_map(|seed| SHAPES.map(|shape| (seed, shape))) {
            for fortran in [false, true] {
                let memory = values(kind, shape.iter().product(), seed);
                let data: Vec<u8> = memory.iter().flat_map(|value| encode(kind, *value)).collect();
                let file = npy(&format!("<{kind}"), fortran, shape, &data);
                let file = folder.write(&format!("{kind}-{}.npy", cases.len()), &file);
                let in_c: Vec<_> = in_c_order(shape, fortran).into_iter().map(|at| memory[at]).collect();
                cases.push((file, in_c));
            }
        }
        let files: Vec<_> = cases.iter().map(|(file, _)| file.as_str()).collect();
        for piece in ["8", "56", "1000000"] {
            let options = ["--op", "arg-min,arg-max", "--json", "--verify", "--piece", piece];
            let rows = rows(&run(&[&files[..], &options].concat()));
            assert_eq!(rows.len(), 2 * cases.len());
            for (row, (file, in_c)) in
                rows.chunks(2).zip(&cases).flat_map(|(rows, case)| rows.iter().map(move |row| (row, case)))
            {
                let op = row["op"].as_str().unwrap();
                assert_eq!(row["index"], first(op, in_c), "{op} of {file} in pieces of {piece}: {in_c:?}");
            }
        }
    }
}

#[test]
fn ties_along_an_axis_are_the_first_along_it() {
    let folder = Folder::new("reduce-ties-axis");
    let (shape, kinds) = ([3, 8, 5], ["u1", "f4", "i2"]);
    for (kind, fortran) in kinds.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
        let memory = values(kind, 120, 1);
        let data: Vec<u8> = memory.iter().flat_map(|value| encode(kind, *value)).collect();
        let file = folder.write("a.npy", &npy(&format!("<{kind}"), fortran, &shape, &data));
        for (axis, piece) in
            [(0, "1000000"), (1, "1000000"), (2, "1000000"), (1, "96"), (0, "168"), (2, "168")]
        {
            let axis_text = axis.to_string();
            let options = ["--axis", &axis_text, "--op", "arg-min,arg-max", "--json", "--piece", piece];
            let rows = rows(&run(&[&[file.as_str()], &options[..]].concat()));
            assert_eq!(rows.len(), 2);
            for row in rows {
                let op = row["op"].as_str().unwrap();
                let left = [&shape[..axis], &shape[axis + 1..]].concat();
                let place = |line: Vec<usize>| {
                    let line: Vec<_> = line.into_iter().map(|at| memory[at]).collect();
                    first(op, &line)
                };
                let places: Vec<_> = lines(&shape, axis, fortran).into_iter().map(place).collect();
                let want: Vec<_> = places.chunks(left[1]).collect();
                assert_eq!(row["index"], json!(want), "{op} of {kind}, {fortran}, axis {axis}, {piece}");
            }
        }
    }
}
