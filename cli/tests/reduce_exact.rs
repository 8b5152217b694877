//! `halofold reduce --exact`, `--state` and `--merge`: the same bits however a file is cut.

#[path = "files/mod.rs"]
mod files;

use std::process::Output;

use files::{Folder, refused, stdout};
use halofold::Element;
use halofold::reduce::exact::{Format, State};
use serde_json::Value;

fn run(args: &[&str]) -> Output {
    files::command("reduce", args).output().unwrap()
}

/// The bits of each row.
fn bits(args: &[&str]) -> Vec<String> {
    let rows: Value = serde_json::from_str(&stdout(&run(&[args, &["--json"]].concat()))).unwrap();
    rows.as_array().unwrap().iter().map(|row| row["bits"].as_str().unwrap().to_owned()).collect()
}

/// Numbers of many magnitudes that nearly cancel.
fn numbers() -> Vec<f64> {
    let mut state = 9u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
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
    let merged = State::from_bytes(&std::fs::read(merged).unwrap()).unwrap();
    assert_eq!((merged.sum(), merged.count()), (state.sum(), state.count()));
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

#[test]
fn the_text_ends_in_the_bits() {
    let folder = Folder::new("exact-text");
    let path = folder.write("three.bin", bytemuck::cast_slice(&[1e30f32, 1.0, -1e30]));
    let text = stdout(&run(&[&path, "--raw", "f32", "--exact"]));
    assert!(text.trim_end().ends_with("1.0  0x3f800000"), "{text}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = Folder::new("exact-refused");
    let path = folder.write("three.bin", &[0; 12]);
    for (args, why) in [
        (&["--raw", "f32", "--exact", "--op", "max"][..], "exact form"),
        (&["--raw", "u32", "--exact"], "exact form"),
        (&["--raw", "f32", "--state", "x"], "--exact"),
        (&["--merge"], "words"),
    ] {
        refused(&run(&[&[path.as_str()][..], args].concat()), &[why]);
    }
}
