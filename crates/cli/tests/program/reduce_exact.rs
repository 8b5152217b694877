//! `halofold reduce --exact`, `--state` and `--merge`: the same bits however a file is cut.

use crate::files::layout::lines;
use crate::files::{Folder, npy, parsed, random, reduce as run, refused, stdout};
use halofold::Element;
use halofold::reduce::exact::{Format, State};
use serde_json::{Value, json};

/// The bits of each row.
fn bits(args: &[&str]) -> Vec<String> {
    rows(args).as_array().unwrap().iter().map(|row| row["bits"].as_str().unwrap().to_owned()).collect()
}

/// Numbers of many magnitudes that nearly cancel.
fn numbers() -> Vec<f64> {
    let mut word = random(9);
    let mut next = || word() >> 33;
    let mut numbers: Vec<f64> =
        (0..5000).map(|_| (next() as f64 - 1e9) * f64::powi(2.0, next() as i32 % 90 - 60)).collect();
    let negatives: Vec<f64> = numbers.iter().rev().map(|x| -x * 0.999_999).collect();
    numbers.extend(negatives);
    numbers
}

/// A file of bare elements, and what the reference says of them.
fn written(folder: &Folder, element: Element) -> (String, State) {
    let bytes: Vec<u8> = match element {
        Element::F64 => numbers().iter().flat_map(|x| x.to_le_bytes()).collect(),
        Element::F16 => numbers().iter().flat_map(|x| half::f16::from_f64(*x / 1e12).to_le_bytes()).collect(),
        _ => numbers().iter().flat_map(|x| (*x as f32).to_le_bytes()).collect(),
    };
    let mut state = State::new(if element == Element::F64 { Format::Double } else { Format::Single });
    state.add(element, &bytes);
    (folder.write(&format!("{element}.bin"), &bytes), state)
}

fn hexadecimal(value: halofold::Value) -> String {
    match value {
        halofold::Value::F64(x) => format!("{:#018x}", x.to_bits()),
        halofold::Value::F32(x) => format!("{:#010x}", x.to_bits()),
        other => panic!("{other}"),
    }
}

#[test]
fn pieces_of_any_size_give_the_same_bits() {
    let folder = Folder::new("exact-pieces");
    for element in [Element::F32, Element::F16, Element::F64] {
        let (path, state) = written(&folder, element);
        let wanted = [hexadecimal(state.sum()), hexadecimal(state.mean())];
        for piece in ["1000000", "4096", "1001"] {
            let args =
                [&path, "--raw", element.name(), "--exact", "--op", "sum,mean", "--piece", piece, "--verify"];
            assert_eq!(bits(&args), wanted, "{element}, pieces of {piece}");
        }
    }
}

#[test]
fn states_are_written_and_merged() {
    let folder = Folder::new("exact-states");
    let (path, state) = written(&folder, Element::F32);
    let bytes = std::fs::read(&path).unwrap();
    let mut states = Vec::new();
    for (number, part) in bytes.chunks(4 * 3001).enumerate() {
        let (part, target) =
            (folder.write(&format!("{number}.bin"), part), folder.path(&format!("{number}.state")));
        stdout(&run(&[&part, "--raw", "f32", "--exact", "--state", &target]));
        states.insert(0, target);
    }
    let merged = folder.path("merged.state");
    let mut args: Vec<&str> = states.iter().map(String::as_str).collect();
    args.extend(["--merge", "--op", "sum,mean", "--state", &merged]);
    assert_eq!(bits(&args), [hexadecimal(state.sum()), hexadecimal(state.mean())]);
    // Behind a header of 16 bytes.
    let file = std::fs::read(&merged).unwrap();
    let words = State::from_bytes(&file[16..]).unwrap();
    assert_eq!((words.sum(), words.count()), (state.sum(), state.count()));

    // The words alone are version 1.
    let old = folder.write("old.state", &file[16..]);
    assert_eq!(bits(&[&old, "--merge"]), [hexadecimal(state.sum())]);
    for at in [9, 12, 16 + 9, 16 + 100, 16 + 127] {
        let mut damaged = file.clone();
        damaged[at] ^= 1;
        let path = folder.write("damaged.state", &damaged);
        refused(&run(&[&path, "--merge"]), &[&path, if at == 9 { "version 258" } else { "is damaged" }]);
    }
    let half = folder.write("half.state", &file[..128]);
    refused(&run(&[&half, "--merge"]), &["is damaged"]);
    let double = folder.write("double.state", &State::new(Format::Double).to_bytes());
    refused(&run(&[&old, &double, "--merge"]), &["states of f32 and of f64 do not add up"]);
}

#[test]
fn dot_products_are_exact_too() {
    let folder = Folder::new("exact-dot");
    let (path, _) = written(&folder, Element::F32);
    let floats: Vec<f32> = numbers().iter().map(|x| *x as f32).collect();
    let mut state = State::new(Format::Product);
    state.add_products(&floats, &floats);
    let args =
        [&path, "--raw", "f32", "--exact", "--op", "dot", "--with", &path, "--piece", "4000", "--verify"];
    assert_eq!(bits(&args), [hexadecimal(state.sum())]);
}

/// The bits that the reference gives for each result along an axis, as the nested lists in JSON.
fn bits_along(
    (shape, fortran, axis): ([usize; 3], bool, usize),
    element: Element,
    bytes: &[u8],
    finish: impl Fn(&State) -> halofold::Value,
) -> Value {
    let size = element.size() as usize;
    let one = |line: Vec<usize>| {
        let items: Vec<u8> = line.iter().flat_map(|at| &bytes[at * size..][..size]).copied().collect();
        let mut state = State::new(if size == 8 { Format::Double } else { Format::Single });
        state.add(element, &items);
        hexadecimal(finish(&state))
    };
    let all: Vec<_> = lines(&shape, axis, fortran).into_iter().map(one).collect();
    let last = shape[if axis == 2 { 1 } else { 2 }];
    json!(all.chunks(last).collect::<Vec<_>>())
}

fn rows(args: &[&str]) -> Value {
    parsed(&run(&[args, &["--json"]].concat()))
}

#[test]
fn along_an_axis_every_result_is_exact() {
    let folder = Folder::new("exact-axis");
    let shape = [4, 90, 7];
    for (element, kind) in [(Element::F32, "<f4"), (Element::F16, "<f2"), (Element::F64, "<f8")] {
        let (path, _) = written(&folder, element);
        let bytes = &std::fs::read(&path).unwrap()[..2520 * element.size() as usize];
        for fortran in [false, true] {
            let path = folder.write("array.npy", &npy(kind, fortran, &shape, bytes));
            for axis in 0..3 {
                let [sums, means] = [State::sum, State::mean]
                    .map(|finish| bits_along((shape, fortran, axis), element, bytes, finish));
                // All at once, and lines cut into pieces.
                for piece in ["1000000", "5040", "1264"] {
                    let (at, ops) = (axis.to_string(), "sum,mean");
                    let args = [&path, "--exact", "--axis", &at, "--op", ops, "--piece", piece, "--verify"];
                    let inner = if fortran { &shape[..axis] } else { &shape[axis + 1..] };
                    let row = inner.iter().product::<usize>();
                    if row * element.size() as usize > piece.parse().unwrap() {
                        refused(&run(&args), &[&format!("a row of {row} elements"), "--piece"]);
                        continue;
                    }
                    let rows = rows(&args);
                    let what = format!("{element}, fortran {fortran}, axis {axis}, pieces of {piece}");
                    assert_eq!((&rows[0]["bits"], &rows[1]["bits"]), (&sums, &means), "{what}");
                    assert_eq!((&rows[0]["n"], &rows[0]["axis"]), (&2520.into(), &axis.into()), "{what}");
                }
            }
        }
    }
}

#[test]
fn products_along_an_axis_and_results_in_a_file() {
    let folder = Folder::new("exact-axis-file");
    let floats: Vec<f32> = numbers().iter().map(|x| *x as f32).collect();
    let array = |name: &str, floats: &[f32]| {
        folder.write(name, &npy("<f4", false, &[2, 2500], bytemuck::cast_slice(floats)))
    };
    let (first, second) = (array("a.npy", &floats[..5000]), array("b.npy", &floats[5000..]));
    let products = |row: usize| {
        let mut state = State::new(Format::Product);
        let at = 2500 * row..2500 * (row + 1);
        state.add_products(&floats[..5000][at.clone()], &floats[5000..][at]);
        hexadecimal(state.sum())
    };
    let dot = ["--exact", "--op", "dot", "--with", &second, "--axis", "1", "--verify"];
    assert_eq!(rows(&[&[first.as_str()][..], &dot].concat())[0]["bits"], json!([products(0), products(1)]));

    // Too many results to print.
    let out = folder.path("out.npy");
    let columns = [first.as_str(), "--exact", "--axis", "0"];
    refused(&run(&columns), &["2500 values", "-o"]);
    let row = &rows(&[&columns[..], &["-o", &out]].concat())[0];
    assert_eq!((&row["value"], &row["bits"]), (&Value::Null, &Value::Null));
    assert_eq!(
        (&row["shape"], &row["dtype"], &row["output"]),
        (&json!([2500]), &"f4".into(), &out.as_str().into())
    );
    let text = stdout(&run(&[&columns[..], &["-o", &out]].concat()));
    assert!(text.trim_end().ends_with(&format!("5000  [2500] f4 in {out}")), "{text}");
    let column = |k: usize| {
        let mut state = State::new(Format::Single);
        state.add(Element::F32, bytemuck::cast_slice(&[floats[k], floats[2500 + k]]));
        state.sum().as_f64() as f32
    };
    let sums: Vec<f32> = (0..2500).map(column).collect();
    assert!(std::fs::read(&out).unwrap().ends_with(bytemuck::cast_slice(&sums)));
}

#[test]
fn long_lines_have_exact_results() {
    let folder = Folder::new("exact-lines");
    for (len, are_exact) in [(65_535, false), (65_536, true)] {
        let floats: Vec<f32> = (0..2 * len).map(|i| (i % 1013) as f32 * 0.37 - 100.0).collect();
        let path = folder.write("lines.npy", &npy("<f4", false, &[2, len], bytemuck::cast_slice(&floats)));
        for op in ["sum", "variance"] {
            let row = |more: &[&str]| rows(&[&[&*path, "--axis", "1", "--op", op], more].concat())[0].clone();
            assert_eq!(row(&[])["bits"].is_array(), are_exact, "{op} of {len}");
            assert!(
                row(&["--exact"])["bits"].is_array() && row(&["--fast"])["bits"].is_null(),
                "{op} of {len}"
            );
        }
    }
}

#[test]
fn rows_too_wide_for_exact_states_are_added_in_their_width() {
    let folder = Folder::new("exact-wide");
    // States of a row take more than the 128 MiB that software adapters bind.
    let len = 1_100_000;
    let floats: Vec<f32> = (0..2 * len).map(|i| (i % 1013) as f32 * 0.37 - 100.0).collect();
    let path = folder.write("wide.npy", &npy("<f4", false, &[2, len], bytemuck::cast_slice(&floats)));
    let out = folder.path("out.npy");
    let row = &rows(&[&path, "--axis", "0", "-o", &out])[0];
    assert_eq!((&row["shape"], &row["bits"]), (&json!([len]), &Value::Null));
    // Two floats are rounded once in any case.
    let sums: Vec<f32> = (0..len).map(|k| floats[k] + floats[len + k]).collect();
    assert!(std::fs::read(&out).unwrap().ends_with(bytemuck::cast_slice(&sums)));
    let exact = run(&[&path, "--axis", "0", "-o", &out, "--exact"]);
    assert!(exact.status.success() || String::from_utf8_lossy(&exact.stderr).contains("row"), "{exact:?}");
}

#[test]
fn of_no_elements_sums_are_zero_and_means_are_none() {
    let folder = Folder::new("exact-axis-empty");
    let path = folder.write("empty.npy", &npy("<f8", false, &[2, 0], &[]));
    let rows = rows(&[&path, "--exact", "--axis", "1", "--op", "sum,mean", "--verify"]);
    assert_eq!(rows[0]["bits"], json!(["0x0000000000000000", "0x0000000000000000"]));
    assert_eq!((&rows[1]["value"], &rows[1]["bits"]), (&json!([null, null]), &json!([null, null])));
    let none = folder.write("none.bin", &[]);
    let text = stdout(&run(&[&none, "--raw", "f32", "--exact", "--op", "mean"]));
    assert!(text.trim_end().ends_with("0  -  -"), "{text}");
}

#[test]
fn the_text_ends_in_the_bits() {
    let folder = Folder::new("exact-text");
    let path = folder.write("three.bin", bytemuck::cast_slice(&[1e30f32, 1.0, -1e30]));
    let text = stdout(&run(&[&path, "--raw", "f32", "--exact"]));
    assert!(text.trim_end().ends_with("1.0  0x3f800000"), "{text}");
    let path = folder
        .write("two.npy", &npy("<f4", false, &[2, 2], bytemuck::cast_slice(&[1e30f32, 1.0, -1e30, 1.0])));
    let text = stdout(&run(&[&path, "--exact", "--axis", "0"]));
    assert!(text.trim_end().ends_with("4  [0.0, 2.0]  [0x00000000, 0x40000000]"), "{text}");
}

#[test]
fn options_that_exclude_each_other_are_refused() {
    let folder = Folder::new("exact-refused");
    let path = folder.write("three.bin", &[0; 12]);
    for (args, why) in [
        (&["--raw", "f32", "--exact", "--op", "max"][..], "exact form"),
        (&["--raw", "u32", "--exact"], "adds without rounding"),
        (&["--raw", "f32", "--state", "x"], "--exact"),
        (&["--merge"], "words"),
        (&["--raw", "f32", "--exact", "--axis", "0", "--state", "x"], "--axis"),
        (&["--raw", "f32", "--exact", "--op", "dot"], "--with"),
    ] {
        refused(&run(&[&[path.as_str()][..], args].concat()), &[why]);
    }
}
