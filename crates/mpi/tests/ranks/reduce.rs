//! Reductions: the same lines for any number of ranks, and those of the CPU.

use std::fs::{self, File};
use std::path::Path;

use bytemuck::cast_slice;
use halofold_cli::files::npy;
use halofold_mpi::halofold::reduce::exact::{Format, State};
use halofold_mpi::halofold::{Element, Value};
use serde_json::Value as Json;

use crate::files::{Random, float, write};
use crate::launch::{Ended, RANKS, folder, launch, printed};

/// Lengths around the numbers of ranks, and one of many pieces for each.
const LENGTHS: [u64; 5] = [0, 1, 5, 7, 50_003];

/// Bytes of a piece: an odd number of workgroups.
const PIECE: &str = "4104";

/// Floats of a type, their squares finite.
fn floats(element: Element, len: u64) -> Vec<u8> {
    let mut random = Random(len + element as u64);
    let scale = if element == Element::F16 { 64.0 } else { 1.0 };
    let one = |_| float(element, random.float() / scale);
    (0..len).flat_map(one).collect()
}

/// Writes a file of each length, for each of some types: their names and their bytes.
fn arrays(folder: &Path, elements: &[Element]) -> Vec<(String, Element, u64, Vec<u8>)> {
    let all = elements.iter().flat_map(|element| LENGTHS.map(|len| (*element, len)));
    let one = |(element, len)| {
        let (name, bytes) = (format!("{element}-{len}.npy"), floats(element, len));
        write(&folder.join(&name), element, &[len], &bytes);
        (name, element, len, bytes)
    };
    all.map(one).collect()
}

/// The lines that a launch prints, with two spaces between columns of any width.
fn lines(ranks: usize, folder: &Path, arguments: &[&str]) -> String {
    let text = printed(ranks, folder, arguments);
    let line = |line: &str| {
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join("  ")
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

/// A float as the program shows it.
fn shown(value: Value) -> String {
    match value {
        Value::F32(x) => format!("{x:?}  {:#010x}", x.to_bits()),
        Value::F64(x) => format!("{x:?}  {:#018x}", x.to_bits()),
        other => panic!("{other} is no float"),
    }
}

#[test]
fn exact_sums_have_the_bits_of_one_rank_and_of_the_cpu() {
    let folder = folder("sums");
    let arrays = arrays(&folder, &[Element::F32, Element::F64, Element::F16]);
    for op in ["sum", "mean"] {
        let line = |(name, element, len, bytes): &(String, Element, u64, Vec<u8>)| {
            let mut state =
                State::new(if *element == Element::F64 { Format::Double } else { Format::Single });
            state.add(*element, bytes);
            let value = match (op, len) {
                ("sum", _) => shown(state.sum()),
                (_, 0) => "-  -".to_owned(),
                _ => shown(state.mean()),
            };
            format!("{name}  {op}  {element}  {len}  {value}\n")
        };
        let expected: String = arrays.iter().map(line).collect();
        // A mean finishes the state of a sum.
        for &ranks in if op == "sum" { &RANKS[..] } else { &[3] } {
            let mut arguments = vec!["reduce", "--exact", "--op", op, "--piece", PIECE];
            arguments.extend(arrays.iter().map(|(name, ..)| &name[..]));
            assert_eq!(lines(ranks, &folder, &arguments), expected, "{ranks} ranks");
        }
    }
}

#[test]
fn dot_products_have_the_bits_of_one_rank_and_of_the_cpu() {
    let folder = folder("dot");
    let [first, second] = [1, 2].map(|seed| {
        let mut random = Random(seed);
        let numbers: Vec<f32> = (0..50_003).map(|_| random.float() as f32).collect();
        fs::write(folder.join(format!("{seed}.raw")), cast_slice(&numbers)).unwrap();
        numbers
    });
    let mut state = State::new(Format::Product);
    state.add_products(&first, &second);
    let expected = format!("1.raw  dot  f32  50003  {}\n", shown(state.sum()));
    for ranks in RANKS {
        let arguments = [
            "reduce", "--exact", "--op", "dot", "--raw", "f32", "1.raw", "--with", "2.raw", "--piece", PIECE,
        ];
        assert_eq!(lines(ranks, &folder, &arguments), expected, "{ranks} ranks");
    }
}

/// A file, its type, and the value of the bits that a number of it is made from.
type Case = (&'static str, &'static str, fn(&u64) -> i128);

#[test]
fn integers_are_numpys() {
    let folder = folder("integers");
    let mut random = Random(3);
    let numbers: Vec<u64> = (0..9001).map(|_| random.next()).collect();
    let array = |element: Element| {
        let size = element.size() as usize;
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()[..size].to_vec()).collect();
        write(&folder.join(format!("{element}.npy")), element, &[numbers.len() as u64], &bytes);
    };
    for element in [Element::U32, Element::I32, Element::U64, Element::I64] {
        array(element);
    }
    fs::write(folder.join("i8.raw"), numbers.iter().map(|x| *x as u8).collect::<Vec<_>>()).unwrap();

    let [unsigned, signed] = [|x: &u64| i128::from(*x as u32), |x: &u64| i128::from(*x as i32)];
    let [long, negative] = [|x: &u64| i128::from(*x), |x: &u64| i128::from(x.cast_signed())];
    let all = |value: fn(&u64) -> i128| numbers.iter().map(value);
    let cases: [Case; 4] = [
        ("u32.npy", "u32", unsigned),
        ("i32.npy", "i32", signed),
        ("u64.npy", "u64", long),
        ("i64.npy", "i64", negative),
    ];
    let mut expected = [String::new(), String::new(), String::new()];
    for (file, name, value) in cases {
        let sum: i128 = all(value).sum();
        // Sums of 64-bit integers wrap.
        let sum = if name.starts_with('u') { i128::from(sum as u64) } else { i128::from(sum as i64) };
        let results = [sum, all(value).min().unwrap(), all(value).max().unwrap()];
        for ((text, op), result) in expected.iter_mut().zip(["sum", "min", "max"]).zip(results) {
            *text += &format!("{file}  {op}  {name}  9001  {result}\n");
        }
    }
    let bytes: i64 = numbers.iter().map(|x| i64::from(*x as i8)).sum();
    for ranks in RANKS {
        for (text, op) in expected.iter().zip(["sum", "min", "max"]) {
            let mut arguments = vec!["reduce", "--op", op, "--piece", PIECE];
            arguments.extend(cases.map(|(file, ..)| file));
            assert_eq!(lines(ranks, &folder, &arguments), *text, "{ranks} ranks");
        }
        let line = lines(ranks, &folder, &["reduce", "--raw", "i8", "i8.raw", "--piece", PIECE]);
        assert_eq!(line, format!("i8.raw  sum  i8  9001  {bytes}\n"), "{ranks} ranks");
    }
}

#[test]
fn extremes_of_floats_know_nan_and_nothing() {
    let folder = folder("extremes");
    let mut numbers: Vec<f32> = (0..5000).map(|x| (x as f32 - 2500.0) * 0.5).collect();
    let file = |name: &str, numbers: &[f32]| {
        write(&folder.join(name), Element::F32, &[numbers.len() as u64], cast_slice(numbers));
    };
    file("a.npy", &numbers);
    numbers[4998] = f32::NAN;
    file("nan.npy", &numbers);
    file("empty.npy", &[]);
    for ranks in RANKS {
        let text = lines(ranks, &folder, &["reduce", "--op", "min", "a.npy", "nan.npy", "empty.npy"]);
        let expected =
            ["a.npy  min  f32  5000  -1250.0", "nan.npy  min  f32  5000  NaN", "empty.npy  min  f32  0  -"];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected, "{ranks} ranks");
    }
}

/// Every operator over an axis of an array in Fortran's order, and over all of it: the JSON of one process, but for its times.
#[test]
fn every_operator_has_the_bits_of_one_process() {
    let folder = folder("every");
    let mut random = Random(11);
    let bytes: Vec<u8> =
        (0..60 * 7 * 5).flat_map(|_| (1.0 + random.float().abs() as f32).to_le_bytes()).collect();
    write(&folder.join("a.npy"), Element::F32, &[60, 7, 5], &bytes);
    let fortran = File::create(folder.join("f.npy")).unwrap();
    npy::write(fortran, "<f4", &[60, 7, 5], true, &bytes).unwrap();
    let words: Vec<u8> = (0..60 * 7 * 5).flat_map(|_| (random.next() as u16).to_le_bytes()).collect();
    npy::write(File::create(folder.join("w.npy")).unwrap(), "<u2", &[60, 7, 5], true, &words).unwrap();
    let floats = "sum,mean,variance,sample-std,l1,l2,product,min-max,arg-max,max-norm,count,any,all,log-sum-exp,geometric-mean";
    let integers =
        "sum,mean,std,sample-variance,l1,l2,product,min,max,arg-min,and,or,xor,wide-sum,log-sum-exp";
    for more in [
        &["a.npy", "f.npy", "--op", floats][..],
        &["a.npy", "f.npy", "--op", floats, "--axis", "1"],
        &["a.npy", "f.npy", "--op", floats, "--axis", "0", "--fast"],
        &["w.npy", "w.npy", "--op", integers],
        &["w.npy", "w.npy", "--op", integers, "--axis", "0"],
    ] {
        let options = ["reduce", "--json", "--verify", "--piece", "280"];
        let arguments = [&options[..], more].concat();
        let values = |ranks| {
            let rows: Json = serde_json::from_str(&printed(ranks, &folder, &arguments)).unwrap();
            let rows = rows.as_array().unwrap().iter();
            rows.map(|row| ["file", "op", "n", "value", "bits", "index"].map(|key| row[key].clone()))
                .collect::<Vec<_>>()
        };
        let one = values(1);
        assert_eq!(one.len(), 30);
        for ranks in [2, 3, 7] {
            assert_eq!(values(ranks), one, "{ranks} ranks, {more:?}");
        }
    }
}

#[test]
fn options_that_are_not_for_ranks_are_refused() {
    let folder = folder("refused");
    fs::write(folder.join("a.raw"), [0; 8]).unwrap();
    for (arguments, why) in [
        (&["reduce", "--raw", "f32", "a.raw", "--adapter", "0"][..], "each rank takes the adapter"),
        (&["reduce", "--raw", "f32", "a.raw", "--op", "max", "--exact"], "no exact form"),
    ] {
        let Ended { status, err, .. } = launch(2, &folder, arguments);
        assert!(!status.success() && err.contains(why), "{err}");
        assert_eq!(err.matches(why).count(), 1, "{err}");
    }
}

/// Maps x -> scale * x + shift, one after the other: associative, and another result in any other order.
const AFFINE: &str = include_str!("../../../cli/tests/program/files/affine.wgsl");

#[test]
fn own_operators_take_the_order_of_the_file() {
    let folder = folder("own");
    let mut random = Random(5);
    let items: Vec<u32> = (0..9001).map(|_| random.next() as u32).collect();
    write(&folder.join("a.npy"), Element::U32, &[items.len() as u64], cast_slice(&items));
    fs::write(folder.join("affine.wgsl"), AFFINE).unwrap();
    let step = |[scale, shift]: [u32; 2], (index, elem): (u32, &u32)| {
        let by = 2u32.wrapping_mul(*elem).wrapping_add(1);
        [scale.wrapping_mul(by), shift.wrapping_mul(by).wrapping_add(elem ^ index)]
    };
    let expected = (0..).zip(&items).fold([1, 0], step);
    let arguments = ["reduce", "--wgsl", "affine.wgsl", "--piece", PIECE, "a.npy"];
    assert_eq!(lines(3, &folder, &arguments), format!("a.npy  affine  u32  9001  {expected:?}\n"));
}
