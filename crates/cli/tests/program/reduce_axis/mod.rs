//! `halofold reduce` with every operator, along every axis, in pieces and as a whole: against the CPU's reference, and
//! against NumPy where it is installed.

mod numpy;

use std::fs;

use crate::files::layout::lines;
use crate::files::{Folder, dtype, npy, random, reduce as run, reduce_on, refused, rows, stdout};
use crate::number::{Number, close, flattened};
use halofold::reduce::{Arity, Op, Scalar, reference};
use halofold::{Element, wgpu};
use serde_json::Value as Json;

const SHAPES: [&[usize]; 6] = [&[37], &[1], &[9, 14], &[4, 5, 6], &[3, 1, 7], &[2, 3, 4, 5]];

/// The operators that are defined for an element type and run here. Sums of floats take integers that every adapter has.
fn runnable(element: Element) -> Vec<Op> {
    let features = |op: Op| match op {
        Op::Sum | Op::Mean if element.is_float() => wgpu::Features::empty(),
        _ => op.over(element).map_or(wgpu::Features::all(), |monoid| monoid.features()),
    };
    Op::ALL.iter().copied().filter(|op| crate::files::features().contains(features(*op))).collect()
}

/// Those of them that take one input.
fn of_one_input(element: Element) -> Vec<Op> {
    runnable(element).into_iter().filter(|op| op.arity() == Arity::One).collect()
}

fn names(ops: &[Op]) -> String {
    ops.iter().map(|op| op.name()).collect::<Vec<_>>().join(",")
}

/// Pseudo-random elements, the same every time: integers of every pattern, floats from 0.5 to 2 that 11 bits hold.
fn elements(element: Element, len: usize, seed: u64) -> Vec<u8> {
    let mut next = random(seed + 1);
    let one = |_| {
        let word = next();
        let float = 0.5 + (word >> 40 & 0x3ff) as f64 / 1024.0 * 1.5;
        let number = if element.is_float() { Number::Float(float) } else { Number::Integer(word.into()) };
        number.bytes(element)
    };
    (0..len).flat_map(one).collect()
}

/// The distance that floats may have, relatively: all floats are of one sign and of one size. Integers of 32 bits are rounded
/// before their squares are taken, which shows where few large ones lie close together; --verify knows how much exactly.
fn tolerance(op: Op, element: Element) -> f64 {
    let spread = matches!(op, Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation);
    match element {
        Element::U32 | Element::I32 if spread => 1e-2,
        element if element.size() == 8 => 1e-11,
        _ => 2e-5,
    }
}

/// The result of the library's reference over some elements: values, or value and position.
fn expected(op: Op, element: Element, first: &[u8], second: &[u8]) -> (Vec<Number>, Option<Number>) {
    // As in NumPy.
    let asked = match op {
        Op::Sum if matches!(element, Element::U32 | Element::I32) => Op::WideSum,
        Op::Product if matches!(element, Element::U32 | Element::I32) => Op::WideProduct,
        _ => op,
    };
    let answer = reference::reduce(asked, element, first, Some(second)).unwrap().answer;
    match answer {
        Scalar::One(value) => (vec![Number::of_value(value)], None),
        Scalar::Range { min, max } => (vec![Number::of_value(min), Number::of_value(max)], None),
        Scalar::At { value, index } => (vec![Number::of_value(value)], Some(Number::Integer(index.into()))),
        other => panic!("{other} is new"),
    }
}

/// Operators whose partial results differ in kind, for where compiling all of them would take too long.
fn few(ops: &[Op]) -> Vec<Op> {
    let kinds = [Op::Sum, Op::MinMax, Op::ArgMax, Op::SampleVariance];
    ops.iter().copied().filter(|op| kinds.contains(op)).collect()
}

/// Compares the rows of a run over one axis of a file with the reference.
fn check_axis(rows: &[Json], ops: &[Op], element: Element, array: &Array, axis: usize, data: [&[u8]; 2]) {
    let Array { shape, fortran, .. } = array;
    for (op, row) in ops.iter().zip(rows) {
        let what = format!("{op} of {element} {shape:?}, fortran {fortran}, axis {axis}");
        let mut left = [&shape[..axis], &shape[axis + 1..]].concat();
        left.extend((*op == Op::MinMax).then_some(2));
        assert_eq!((&row["op"], &row["file"]), (&op.name().into(), &array.file.as_str().into()));
        assert_eq!(row["shape"], serde_json::json!(left), "{what}");
        assert_eq!(row["axis"], axis, "{what}");
        assert_eq!(row["n"], shape.iter().product::<usize>(), "{what}");
        let (mut want, mut places) = (Vec::new(), Vec::new());
        for line in lines(shape, axis, *fortran) {
            let size = element.size() as usize;
            let gather = |bytes: &[u8]| -> Vec<u8> {
                line.iter().flat_map(|at| bytes[at * size..][..size].to_vec()).collect()
            };
            let (values, place) = expected(*op, element, &gather(data[0]), &gather(data[1]));
            want.extend(values);
            places.extend(place);
        }
        close(&flattened(&row["value"]), &want, tolerance(*op, element), &what);
        if places.is_empty() {
            assert!(row["index"].is_null(), "{what}");
        } else {
            close(&flattened(&row["index"]), &places, 0.0, &what);
        }
    }
}

/// A file of a test.
struct Array {
    file: String,
    shape: &'static [usize],
    fortran: bool,
}

fn arrays(folder: &Folder, element: Element, data: &[u8]) -> Vec<Array> {
    let orders = SHAPES.into_iter().flat_map(|shape| [(shape, false), (shape, true)]);
    orders
        .enumerate()
        .map(|(number, (shape, fortran))| {
            let bytes = &data[..shape.iter().product::<usize>() * element.size() as usize];
            let bytes = npy(&format!("<{}", dtype(element)), fortran, shape, bytes);
            Array { file: folder.write(&format!("{element}-{number}.npy"), &bytes), shape, fortran }
        })
        .collect()
}

#[test]
fn every_operator_along_every_axis() {
    let folder = Folder::new("reduce-axis");
    for element in Element::ALL {
        let ops = of_one_input(element);
        let few = few(&ops);
        if few.is_empty() {
            continue;
        }
        let data = elements(element, 200, 7);
        let all = arrays(&folder, element, &data);
        // Every axis of one to four dimensions. Small pieces are of some rows, few enough that none holds an array.
        for (axis, piece, ops) in [
            (0, "64000", &ops),
            (-1, "64000", &ops),
            (1, "64000", &few),
            (-2, "64000", &few),
            (0, "480", &ops),
            (-1, "480", &few),
            (1, "480", &few),
            (-2, "480", &few),
        ] {
            let has =
                |array: &&Array| (-(array.shape.len() as i64)..array.shape.len() as i64).contains(&axis);
            let arrays: Vec<_> = all.iter().filter(has).collect();
            let files: Vec<_> = arrays.iter().map(|array| array.file.as_str()).collect();
            let axis_text = axis.to_string();
            let options = ["--axis", &axis_text, "--op", &names(ops), "--json", "--verify", "--piece", piece];
            let rows = rows(&run(&[&files[..], &options].concat()));
            assert_eq!(rows.len(), arrays.len() * ops.len());
            for (array, rows) in arrays.into_iter().zip(rows.chunks(ops.len())) {
                let axis = axis.rem_euclid(array.shape.len() as i64) as usize;
                check_axis(rows, ops, element, array, axis, [&data, &data]);
            }
        }
    }
}

#[test]
fn dot_products_along_every_axis() {
    let folder = Folder::new("reduce-axis-dot");
    for element in Element::ALL {
        if !runnable(element).contains(&Op::Dot) {
            continue;
        }
        let shape: &[usize] = &[4, 5, 6];
        let data = [3, 4].map(|seed| elements(element, 120, seed));
        for (fortran, axis, piece) in
            [(false, 0, "240"), (true, 0, "64000"), (false, 1, "48"), (true, 2, "240"), (false, 2, "64")]
        {
            let kind = format!("<{}", dtype(element));
            let [file, second] =
                [0, 1].map(|k| folder.write(&format!("{k}.npy"), &npy(&kind, fortran, shape, &data[k])));
            let axis_text = axis.to_string();
            let args = [
                &file, "--with", &second, "--axis", &axis_text, "--op", "dot", "--json", "--verify",
                "--piece", piece,
            ];
            let rows = rows(&run(&args));
            let array = Array { file, shape, fortran };
            check_axis(&rows, &[Op::Dot], element, &array, axis, [&data[0], &data[1]]);
        }
    }
}

#[test]
fn every_operator_over_everything_in_any_pieces() {
    let folder = Folder::new("reduce-everything");
    for element in Element::ALL {
        let ops = of_one_input(element);
        if ops.is_empty() {
            continue;
        }
        let data = elements(element, 30_011, 5);
        let part = |len: usize| &data[..len * element.size() as usize];
        let file = |len: usize| {
            let bytes = npy(&format!("<{}", dtype(element)), false, &[len], part(len));
            (folder.write(&format!("{element}-{len}.npy"), &bytes), len)
        };
        let files = [1, 1000, 30_011].map(file);
        // Of 4096 bytes, the first two are one piece or two.
        for (files, piece) in [(&files[..2], "40"), (&files[..], "4096")] {
            let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
            let options = ["--op", &names(&ops), "--piece", piece, "--json", "--verify"];
            let rows = rows(&run(&[&paths[..], &options].concat()));
            assert_eq!(rows.len(), files.len() * ops.len());
            for ((_, len), rows) in files.iter().zip(rows.chunks(ops.len())) {
                for (op, row) in ops.iter().zip(rows) {
                    let what = format!("{op} of {len} {element} in pieces of {piece}");
                    let (want, place) = expected(*op, element, part(*len), part(*len));
                    // Long products of floats overflow, sooner or later.
                    if *op != Op::Product || !element.is_float() || *len == 1 {
                        close(&flattened(&row["value"]), &want, tolerance(*op, element), &what);
                    }
                    match place {
                        Some(place) => close(&flattened(&row["index"]), &[place], 0.0, &what),
                        None => assert!(row["index"].is_null(), "{what}"),
                    }
                }
            }
        }
    }
}

#[test]
fn infinities_and_nans_keep_their_rules() {
    let folder = Folder::new("reduce-axis-special");
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    // Columns: a NaN, an infinity, both, both signs of zero, nothing special.
    let data = [[1.0, 2.0, nan, 0.0, 3.0], [nan, inf, inf, -0.0, 1.0], [3.0, 1.0, 2.0, 0.0, 2.0f32]];
    let file = folder.write("a.npy", &npy("<f4", false, &[3, 5], bytemuck::cast_slice(&data)));
    let cases: [(&str, [f32; 5]); 8] = [
        ("sum", [nan, inf, nan, 0.0, 6.0]),
        ("mean", [nan, inf, nan, 0.0, 2.0]),
        ("min", [nan, 1.0, nan, -0.0, 1.0]),
        ("max", [nan, inf, nan, 0.0, 3.0]),
        ("std", [nan, nan, nan, 0.0, 0.816_496_6]),
        ("l1", [nan, inf, nan, 0.0, 6.0]),
        ("max-norm", [nan, inf, nan, 0.0, 3.0]),
        ("log-sum-exp", [nan, inf, nan, 3f32.ln(), 3.407_606]),
    ];
    // A row at a time, two rows, everything.
    for piece in ["24", "40", "1000"] {
        for (op, want) in cases {
            let output = run(&[&file, "--axis", "0", "--op", op, "--json", "--verify", "--piece", piece]);
            let want: Vec<_> = want.into_iter().map(|x| Number::Float(x.into())).collect();
            close(&flattened(&rows(&output)[0]["value"]), &want, 1e-6, &format!("{op}, pieces of {piece}"));
        }
        for (op, want) in
            [("arg-min", [1, 2, 0, 1, 1]), ("arg-max", [1, 1, 0, 0, 0]), ("count", [3, 3, 3, 0, 3])]
        {
            let output = run(&[&file, "--axis", "0", "--op", op, "--json", "--piece", piece]);
            let key = if op == "count" { "value" } else { "index" };
            assert_eq!(rows(&output)[0][key], serde_json::json!(want), "{op}, pieces of {piece}");
        }
        let output = run(&[&file, "--axis", "0", "--op", "any,all", "--json", "--piece", piece]);
        let truths = [[true, true, true, false, true]; 2];
        assert_eq!(
            rows(&output).iter().map(|row| &row["value"]).collect::<Vec<_>>(),
            truths.map(|t| serde_json::json!(t)).iter().collect::<Vec<_>>()
        );
    }
}

#[test]
fn arrays_are_written_as_numpy_would() {
    let folder = Folder::new("reduce-axis-output");
    let data: Vec<u8> = (0..24u32).flat_map(|x| (x * 7 % 24).to_le_bytes()).collect();
    for fortran in [false, true] {
        let file = folder.write("a.npy", &npy("<u4", fortran, &[2, 3, 4], &data));
        for (op, kind, words) in
            [("sum", "<u8", 2), ("min", "<u4", 1), ("arg-max", "<i8", 2), ("mean", "<f8", 2)]
        {
            let out = folder.path(&format!("{op}-{fortran}.npy"));
            let text = stdout(&run(&[&file, "--axis", "1", "--op", op, "-o", &out]));
            assert!(text.contains("[2, 4]") && text.contains(&out), "{text}");
            let bytes = fs::read(&out).unwrap();
            let header = String::from_utf8_lossy(&bytes[..bytes.len() - 8 * words * 4]).into_owned();
            assert!(header.contains(kind) && header.contains("(2, 4"), "{header}");
            assert!(header.contains(if fortran { "True" } else { "False" }), "{header}");
        }
    }
    let out = folder.path("whole.npy");
    stdout(&run(&[&folder.path("a.npy"), "--op", "all", "-o", &out]));
    let bytes = fs::read(&out).unwrap();
    assert!(String::from_utf8_lossy(&bytes).contains("b1") && bytes.last() == Some(&0));
    let text = stdout(&run(&[&folder.path("a.npy"), "--axis", "1", "--op", "arg-max,min-max"]));
    assert_eq!(text.matches(" at ").count(), 8, "{text}");
    assert_eq!(text.matches(" … ").count(), 8, "{text}");
    let wide = folder.write("wide.npy", &npy("<i4", false, &[1, 200], bytemuck::cast_slice(&[123_456; 200])));
    let text = stdout(&run(&[&wide, "--axis", "0"]));
    assert_eq!(text.matches("123456").count(), 200);
    assert!(text.lines().count() > 5 && text.lines().skip(1).all(|line| line.trim().len() <= 72), "{text}");
}

#[test]
fn wrong_requests_are_refused() {
    let folder = Folder::new("reduce-axis-wrong");
    let array = |name: &str, kind: &str, fortran, shape: &[usize], bytes: usize| {
        folder.write(name, &npy(kind, fortran, shape, &vec![0; bytes]))
    };
    let a = array("a.npy", "<f4", false, &[2, 3], 24);
    let same = array("same.npy", "<f4", false, &[2, 3], 24);
    let other = array("other.npy", "<f4", false, &[3, 2], 24);
    let turned = array("turned.npy", "<f4", true, &[2, 3], 24);
    let integer = array("integer.npy", "<i4", false, &[2, 3], 24);
    let complex = array("complex.npy", "<c8", false, &[2], 16);
    let empty = array("empty.npy", "<f4", false, &[0, 3], 0);
    let wide = array("wide.npy", "<f4", false, &[2, 2000], 16_000);
    let scalar = array("scalar.npy", "<f4", false, &[], 4);
    let big = folder.write("big.npy", &npy("<i8", false, &[2, 1], bytemuck::bytes_of(&[i64::MAX; 2])));
    let quartile = run(&[&a, "--op", "quartile"]);
    refused(&quartile, &["quartile", "sum, min, max, product, mean", "log-sum-exp", "--q 0.25,0.75"]);
    assert!(!String::from_utf8_lossy(&quartile.stderr).contains("similar"));
    refused(&run(&[&a, "--op", "xor"]), &[&a, "`xor` is not defined for f32"]);
    refused(&run(&[&a, "--axis", "2"]), &[&a, "--axis 2", "-2 to 1"]);
    refused(&run(&[&a, "--axis", "-3"]), &[&a, "--axis -3", "-2 to 1"]);
    refused(&run(&[&a, "--axis", "0,-2"]), &[&a, "--axis -2", "twice"]);
    refused(&run(&[&a, "--axis", "rows"]), &["rows", "the word all"]);
    refused(&run(&[&scalar, "--axis", "0"]), &[&scalar, "no dimension"]);
    refused(&run(&[&complex]), &[&complex, "c8"]);
    refused(&run(&[&a, "--op", "dot"]), &["--with"]);
    refused(&run(&[&a, "--with", &same]), &["--with", "dot"]);
    refused(&run(&[&a, &a, "--with", &same, "--op", "dot"]), &["--with", "one file"]);
    refused(&run(&[&a, "--with", &other, "--op", "dot"]), &[&other, "(3, 2)", "(2, 3)"]);
    refused(&run(&[&a, "--with", &turned, "--op", "dot"]), &[&turned, "order"]);
    refused(&run(&[&a, "--with", &integer, "--op", "dot"]), &[&integer, "i32", "f32"]);
    let flat = array("flat.npy", "<f4", false, &[6], 24);
    refused(&run(&[&a, "--with", &flat, "--op", "dot"]), &["has shape (6,), and", "(2, 3)"]);
    refused(&run(&[&a, "--ddof", "1"]), &["--ddof", "variance"]);
    refused(&run(&[&a, "--op", "std", "--ddof", "-1"]), &["`-1` is not a count"]);
    refused(&run(&[&a, "--op", "sum,max", "-o", "x.npy"]), &["-o", "one operator"]);
    refused(&run(&[&a, "-o", "x.txt"]), &["x.txt", ".npy"]);
    refused(&run(&[&empty, "--axis", "0", "--op", "max"]), &[&empty, "`max` of no elements"]);
    refused(&run(&[&wide, "--axis", "0"]), &[&wide, "2000 values", "-o OUT.npy"]);
    refused(&run(&[&wide, "--axis", "0", "--json", "--piece", "64"]), &[&wide, "--piece"]);
    if runnable(Element::I64).contains(&Op::WideSum) {
        let out = folder.path("out.npy");
        refused(&run(&[&big, "--axis", "0", "--op", "wide-sum", "-o", &out]), &["does not fit i8"]);
        assert!(!fs::exists(out).unwrap());
    }
}

#[test]
fn axes_without_elements() {
    let folder = Folder::new("reduce-axis-empty");
    let none = folder.write("none.npy", &npy("<f4", false, &[2, 0, 3], &[]));
    let rows_of = |axis: &str, op: &str| rows(&run(&[&none, "--axis", axis, "--op", op, "--json"]));
    assert_eq!(rows_of("1", "sum")[0]["value"], serde_json::json!(vec![[0.0; 3]; 2]));
    assert_eq!(rows_of("1", "product")[0]["value"], serde_json::json!(vec![[1.0; 3]; 2]));
    assert_eq!(rows_of("0", "max")[0]["shape"], serde_json::json!([0, 3]));
    assert_eq!(rows_of("0", "max")[0]["value"], serde_json::json!([]));

    // A header may claim any number of them.
    let claims = |shape: &[usize]| folder.write("claims.npy", &npy("<f4", false, shape, &[]));
    for (shape, why) in [(&[0, 1 << 62][..], "2^63 bytes"), (&[0, 1 << 40], "1099511627776 values of no")] {
        refused(&run(&[&claims(shape), "--axis", "0", "--json"]), &[why]);
    }
    let lists = rows(&run(&[&claims(&[1 << 40, 0, 3]), "--axis", "2", "--json"]));
    assert_eq!(lists[0]["value"], Json::Null);
}

#[test]
fn axes_of_standard_input_and_of_bare_elements() {
    let folder = Folder::new("reduce-axis-stream");
    let data = [1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0];
    let bytes: &[u8] = bytemuck::cast_slice(&data);
    let piped = npy("<f4", true, &[2, 3], bytes);
    let output = reduce_on(&["-", "--axis", "0", "--json", "--piece", "8"], &piped);
    assert_eq!(rows(&output)[0]["value"], serde_json::json!([3.0, 7.0, 11.0]));
    refused(&reduce_on(&["-", "--axis", "0", "--piece", "8"], &piped[..piped.len() - 4]), &["truncated"]);
    refused(&reduce_on(&["-", "--raw", "f32", "--axis", "0"], bytes), &["--axis", "shape"]);
    let file = folder.write("a.bin", bytes);
    let output = run(&[&file, "--raw", "f32", "--axis", "-1", "--json"]);
    assert_eq!(
        (&rows(&output)[0]["value"], &rows(&output)[0]["shape"]),
        (&21.0.into(), &serde_json::json!([]))
    );
    let big: Vec<u8> = data.iter().flat_map(|x| x.to_be_bytes()).collect();
    let turned = folder.write("big.bin", &big);
    let args = [&turned, "--raw", ">f4", "--shape", "-1,3", "--axis", "0", "--json"];
    assert_eq!(rows(&run(&args))[0]["value"], serde_json::json!([5.0, 7.0, 9.0]));
    let args = ["-", "--raw", ">f4", "--shape", "3,2", "--axis", "1", "--json"];
    assert_eq!(rows(&reduce_on(&args, &big))[0]["value"], serde_json::json!([3.0, 7.0, 11.0]));
    refused(&run(&[&turned, "--raw", ">f4", "--shape", "2,2"]), &[&turned, "shape (2, 2)", "--shape"]);
    refused(&run(&[&turned, "--shape", "2,2"]), &["--raw"]);
    // Two streams of different lengths are noticed where the shorter one ends.
    refused(
        &reduce_on(&[&file, "--raw", "f32", "--op", "dot", "--with", "-"], &bytes[..16]),
        &["--with", "numbers of elements"],
    );
}

#[test]
fn several_axes_and_kept_ones() {
    let folder = Folder::new("reduce-axes");
    let data: Vec<u8> = [5u32, 1, 4, 0, 3, 9, 10, 9].iter().flat_map(|x| x.to_le_bytes()).collect();
    let [file, turned] = [false, true]
        .map(|fortran| folder.write(&format!("{fortran}.npy"), &npy("<u4", fortran, &[2, 2, 2], &data)));
    let row = |args: &[&str]| rows(&run(&[args, &["--json"]].concat())).remove(0);
    // Places count along both axes.
    let most = row(&[&file, "--axis", "0,2", "--op", "arg-max"]);
    assert_eq!(
        [&most["axis"], &most["index"]],
        [[0, 2], [3, 2]].map(|list| serde_json::json!(list)).each_ref()
    );
    refused(&run(&[&turned, "--axis", "0,2", "--op", "arg-max"]), &[&turned, "ascontiguousarray"]);
    let kept = row(&[&turned, "--keepdims", "--op", "arg-max"]);
    assert_eq!([&kept["value"], &kept["index"]], [10, 3].map(|x| serde_json::json!([[[x]]])).each_ref());
    assert_eq!(row(&[&file, "--axis", "all"])["value"], 41);
}

/// Positions in an array of Fortran's order are those that NumPy counts, if no two elements are equal.
#[test]
fn places_without_an_axis_are_counted_in_the_order_of_c() {
    let folder = Folder::new("reduce-axis-turned");
    let data: Vec<u8> = [5u32, 1, 4, 0, 3, 9].iter().flat_map(|x| x.to_le_bytes()).collect();
    for (fortran, places) in [(false, [3, 5]), (true, [4, 5])] {
        let file = folder.write("a.npy", &npy("<u4", fortran, &[2, 3], &data));
        let rows = rows(&run(&[&file, "--op", "arg-min,arg-max", "--json"]));
        assert_eq!(
            [&rows[0]["index"], &rows[1]["index"]],
            places.map(|place| serde_json::json!(place)).each_ref()
        );
    }
}

#[test]
fn degrees_of_freedom() {
    let folder = Folder::new("reduce-ddof");
    let file =
        folder.write("a.npy", &npy("<f4", false, &[4], bytemuck::cast_slice(&[1.0f32, 2.0, 3.0, 4.0])));
    let value = |op: &str, ddof: &str| {
        rows(&run(&[&file, "--op", op, "--ddof", ddof, "--json"]))[0]["value"].as_f64()
    };
    assert_eq!(value("variance", "0"), Some(1.25));
    assert_eq!(value("variance", "2"), Some(2.5));
    let sample = &rows(&run(&[&file, "--op", "sample-std", "--json"]))[0]["value"];
    assert_eq!(value("std", "1"), sample.as_f64());
}
