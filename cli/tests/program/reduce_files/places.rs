//! Where arg-min and arg-max find one of several equal elements: the first in C's order, whatever the order in memory.

use half::f16;
use serde_json::{Value, json};

use super::{rows, run};
use crate::files::{Folder, npy};

const SHAPES: [&[usize]; 3] = [&[3, 4], &[5, 1, 7], &[2, 3, 4, 5]];

/// Where in memory the elements of an array lie, in C's order.
fn in_memory(shape: &[usize], fortran: bool) -> Vec<usize> {
    let mut coordinates = vec![0; shape.len()];
    let mut places = Vec::new();
    for _ in 0..shape.iter().product() {
        let along = |at: usize, axis: usize| at * shape[axis] + coordinates[axis];
        let axes = 0..shape.len();
        places.push(if fortran { axes.rev().fold(0, along) } else { axes.fold(0, along) });
        for axis in (0..shape.len()).rev() {
            coordinates[axis] += 1;
            if coordinates[axis] < shape[axis] {
                break;
            }
            coordinates[axis] = 0;
        }
    }
    places
}

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
    let mut state = 7 + seed as u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize
    };
    (0..len).map(|_| items[next() % items.len()]).collect()
}

fn bytes(kind: &str, value: f64) -> Vec<u8> {
    match kind {
        "f2" => f16::from_f64(value).to_le_bytes().to_vec(),
        "f4" => (value as f32).to_le_bytes().to_vec(),
        "f8" => value.to_le_bytes().to_vec(),
        integer => (value as i64).to_le_bytes()[..integer[1..].parse().unwrap()].to_vec(),
    }
}

/// The types that run here.
fn kinds() -> Vec<&'static str> {
    use halofold::{Element, wgpu::Features};
    let has = |element: Element| {
        let needs = halofold::reduce::Op::ArgMin.over(element).unwrap().features();
        (needs - crate::files::features()) == Features::empty()
    };
    let wide = [("f2", Element::F16), ("f8", Element::F64), ("i8", Element::I64)];
    let wide = wide.into_iter().filter(|(_, element)| has(*element)).map(|(kind, _)| kind);
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
                let data: Vec<u8> = memory.iter().flat_map(|value| bytes(kind, *value)).collect();
                let file = npy(&format!("<{kind}"), fortran, shape, &data);
                let file = folder.write(&format!("{kind}-{}.npy", cases.len()), &file);
                let in_c: Vec<_> = in_memory(shape, fortran).into_iter().map(|at| memory[at]).collect();
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
        let data: Vec<u8> = memory.iter().flat_map(|value| bytes(kind, *value)).collect();
        let file = folder.write("a.npy", &npy(&format!("<{kind}"), fortran, &shape, &data));
        let in_c: Vec<_> = in_memory(&shape, fortran).into_iter().map(|at| memory[at]).collect();
        for (axis, piece) in
            [(0, "1000000"), (1, "1000000"), (2, "1000000"), (1, "96"), (0, "168"), (2, "168")]
        {
            let axis_text = axis.to_string();
            let options = ["--axis", &axis_text, "--op", "arg-min,arg-max", "--json", "--piece", piece];
            for row in rows(&run(&[&[file.as_str()], &options[..]].concat())) {
                let op = row["op"].as_str().unwrap();
                let inner: usize = shape[axis + 1..].iter().product();
                let left = [&shape[..axis], &shape[axis + 1..]].concat();
                let place = |result: usize| {
                    let start = result / inner * inner * shape[axis] + result % inner;
                    let line: Vec<_> = (0..shape[axis]).map(|k| in_c[start + k * inner]).collect();
                    first(op, &line)
                };
                let want: Vec<Vec<usize>> =
                    (0..left[0]).map(|a| (0..left[1]).map(|b| place(a * left[1] + b)).collect()).collect();
                assert_eq!(row["index"], json!(want), "{op} of {kind}, {fortran}, axis {axis}, {piece}");
                assert_ne!(row["index"], Value::Null);
            }
        }
    }
}
