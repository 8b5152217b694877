//! `halofold reduce`, run as a program on files that are written here or by NumPy.
//!
//! The adapter is whatever the environment gives. What it lacks is asked of the library, and has to come out as an
//! error.

mod digits;
mod numbers;
mod numpy;
mod packed;
mod places;

use std::fs;
use std::process::Output;

use crate::files::{
    Folder, command, dtype, limited, npy, reduce as run, reduce_on as run_on, refused, rows, stdout,
};
use crate::number::Number;

use self::numbers::{agrees, encode, expected, numbers, plain};
use halofold::reduce::Op;
use halofold::{Element, wgpu};
use serde_json::Value;

const OPS: [&str; 5] = ["sum", "min", "max", "product", "mean"];
const KEYS: [&str; 10] =
    ["file", "op", "type", "n", "value", "bits", "index", "gpu_ms", "wall_ms", "adapter"];

/// The library's operator behind one on the command line, by NumPy's conventions.
fn operator(op: &str, element: Element) -> Op {
    let wide = matches!(element, Element::U32 | Element::I32);
    match op {
        "product" if wide => Op::WideProduct,
        "sum" if wide => Op::WideSum,
        "mean" if !element.is_float() => Op::WideSum,
        "mean" => Op::Sum,
        name => name.parse().expect("an operator's name"),
    }
}

/// The features that the operator needs and the program's adapter lacks.
fn lacking(op: &str, element: Element) -> wgpu::Features {
    operator(op, element).over(element).expect("the pair is defined").features() - crate::files::features()
}

/// The operators that run for an element type here.
fn runnable(element: Element) -> Vec<&'static str> {
    OPS.into_iter().filter(|op| lacking(op, element).is_empty()).collect()
}

/// Asserts the rows of some files, for all operators that run here.
fn check(output: &Output, element: Element, files: &[(String, Vec<Number>)]) {
    let ops = runnable(element);
    let rows = rows(output);
    assert_eq!(rows.len(), files.len() * ops.len());
    for (rows, (file, numbers)) in rows.chunks(ops.len()).zip(files) {
        for (row, op) in rows.iter().zip(&ops) {
            assert_eq!((row["file"].as_str(), row["op"].as_str()), (Some(file.as_str()), Some(*op)));
            assert_eq!(row["type"], element.name());
            assert_eq!(row["n"], numbers.len());
            let (got, expected) = (Number::of_json(&row["value"]), expected(op, element, numbers));
            assert!(agrees(op, got, expected), "{file}: {op}: got {got:?}, expected {expected:?}");
        }
    }
}

#[test]
fn every_type_byte_order_and_shape() {
    const SHAPES: [&[usize]; 8] = [&[], &[1], &[7], &[3, 5], &[2, 3, 4], &[1000], &[257, 3], &[4, 0]];
    let folder = Folder::new("reduce-types");
    for element in Element::ALL {
        let mut files = Vec::new();
        for (index, shape) in SHAPES.into_iter().enumerate() {
            let numbers = numbers(element, shape.iter().product());
            for (order, big) in [('<', false), ('>', true)] {
                for fortran in [false, true] {
                    let bytes = encode(element, &numbers, big);
                    let name = format!("{element}-{index}-{big}-{fortran}.npy");
                    let bytes = npy(&format!("{order}{}", dtype(element)), fortran, shape, &bytes);
                    files.push((folder.write(&name, &bytes), numbers.clone()));
                }
            }
        }
        let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
        let ops = runnable(element);
        if !ops.is_empty() {
            let output = run(&[&names[..], &["--op", &ops.join(","), "--verify", "--json"]].concat());
            check(&output, element, &files);
        }
        for op in OPS.into_iter().filter(|op| !ops.contains(op)) {
            let (feature, _) = lacking(op, element).iter_names().next().unwrap();
            refused(&run(&[names[0], "--op", op]), &[names[0], feature]);
        }
    }
}

#[test]
fn bare_elements_from_files_and_streams() {
    let folder = Folder::new("reduce-raw");
    for element in Element::ALL {
        let ops = runnable(element).join(",");
        if ops.is_empty() {
            continue;
        }
        let numbers = numbers(element, 1001);
        let bytes = encode(element, &numbers, false);
        let options = ["--raw", element.name(), "--op", &ops, "--json"];
        let files = vec![
            (folder.write(&format!("{element}.bin"), &bytes), numbers.clone()),
            (folder.write(&format!("{element}-empty.bin"), &[]), Vec::new()),
        ];
        check(&run(&[&[files[0].0.as_str(), &files[1].0], &options[..]].concat()), element, &files);
        let piped = [("-".to_owned(), numbers)];
        check(&run_on(&[&["-"], &options[..]].concat(), &bytes), element, &piped);
    }
}

#[test]
fn standard_input_is_a_file_like_any_other() {
    let folder = Folder::new("reduce-stdin");
    let numbers = numbers(Element::I32, 500);
    let bytes = plain(Element::I32, &numbers);
    let file = folder.write("same.npy", &bytes);
    let ops = OPS.join(",");
    let both = [(file.clone(), numbers.clone()), ("-".to_owned(), numbers.clone())];
    check(&run_on(&[&file, "-", "--op", &ops, "--json"], &bytes), Element::I32, &both);
    refused(&run_on(&["-"], &bytes[..bytes.len() - 3]), &["standard input", "truncated"]);
    refused(&run_on(&["-"], &[]), &["standard input"]);
    let boundless = npy("<u4", false, &[(1 << 61) - 1], &[0; 4]);
    refused(&run_on(&["-"], &boundless), &["standard input", "truncated"]);
    refused(&run_on(&["--raw", "u32", "-"], &[0; 7]), &["standard input", "multiple"]);
    refused(&run_on(&["-", "-"], &bytes), &["standard input"]);
    #[cfg(target_os = "linux")]
    {
        // A pipe by name can be opened only once, too.
        let piped = [("/dev/stdin".to_owned(), numbers)];
        check(&run_on(&["/dev/stdin", "--op", &ops, "--json"], &bytes), Element::I32, &piped);
    }
}

#[test]
fn pieces_make_no_difference() {
    let folder = Folder::new("reduce-pieces");
    for element in Element::ALL {
        let ops = runnable(element).join(",");
        if ops.is_empty() {
            continue;
        }
        // An odd number, so that the last piece of 16-bit elements ends within a word.
        let (few, many) = (numbers(element, 29), numbers(element, 20_011));
        let files = [
            (folder.write(&format!("{element}-few.npy"), &plain(element, &few)), few),
            (folder.write(&format!("{element}-many.npy"), &plain(element, &many)), many),
        ];
        for (file, piece) in [(0, "8"), (0, "12"), (0, "100"), (1, "4096"), (1, "40000"), (1, "1000000")] {
            let files = &files[file..=file];
            let output = run(&[&files[0].0, "--op", &ops, "--piece", piece, "--verify", "--json"]);
            check(&output, element, files);
        }
    }
    refused(&run(&["a.npy", "--piece", "7"]), &["--piece"]);
}

#[test]
fn nothing_has_a_sum_and_a_product() {
    let folder = Folder::new("reduce-empty");
    let file = folder.write("empty.npy", &plain(Element::F32, &[]));
    let text = stdout(&run(&[&file, "--op", &OPS.join(",")]));
    let values: Vec<_> = text.lines().map(|line| line.rsplit("  ").next().unwrap()).collect();
    assert_eq!(values, ["0.0", "-", "-", "1.0", "-"]);
    let rows = rows(&run(&[&file, "--op", "max,mean", "--json"]));
    assert!(rows.iter().all(|row| row["value"].is_null() && row["n"] == 0 && row["gpu_ms"].is_null()));
}

#[test]
fn special_floats_keep_numpys_rules() {
    let folder = Folder::new("reduce-special");
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    // sum, min, max, product, mean
    let cases: [(&[f64], [f64; 5]); 6] = [
        (&[1.0, nan, inf], [nan; 5]),
        (&[1.0, inf, 2.0], [inf, 1.0, inf, inf, inf]),
        (&[-inf, 2.0, 1.0], [-inf, -inf, 2.0, -inf, -inf]),
        (&[inf, -inf], [nan, -inf, inf, -inf, nan]),
        (&[0.0, -0.0, 0.0], [0.0, -0.0, 0.0, -0.0, 0.0]),
        (&[-0.0, 3.0], [3.0, -0.0, 3.0, -0.0, 1.5]),
    ];
    for element in [Element::F32, Element::F64, Element::F16] {
        for (case, (items, wanted)) in cases.into_iter().enumerate() {
            let items: Vec<_> = items.iter().copied().map(Number::Float).collect();
            let file = folder.write(&format!("{element}-{case}.npy"), &plain(element, &items));
            for op in runnable(element) {
                // One element a piece shows whether pieces are combined by the same rules.
                for piece in ["8", "1000"] {
                    let rows = rows(&run(&[&file, "--op", op, "--json", "--verify", "--piece", piece]));
                    let wanted = wanted[OPS.iter().position(|name| *name == op).unwrap()];
                    let got = Number::of_json(&rows[0]["value"]);
                    assert!(got.same(Number::Float(wanted)), "{op} of {items:?} as {element}: {got:?}");
                    assert_eq!(rows[0]["value"].is_string(), !wanted.is_finite());
                }
            }
        }
    }
}

#[test]
fn sums_of_ordinary_floats_stay_within_rounding() {
    let folder = Folder::new("reduce-floats");
    for element in [Element::F32, Element::F64] {
        if !lacking("sum", element).is_empty() {
            continue;
        }
        let wave: Vec<_> =
            (0..300_000).map(|i| Number::Float(f64::from((f64::from(i) * 0.37).sin() as f32))).collect();
        let exact: f64 = wave.iter().map(|x| x.as_f64()).sum();
        let file = folder.write(&format!("{element}.npy"), &plain(element, &wave));
        for piece in ["40000", "10000000"] {
            let rows = rows(&run(&[&file, "--op", "sum,mean", "--json", "--verify", "--piece", piece]));
            let unit = if element == Element::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
            let sum = rows[0]["value"].as_f64().unwrap();
            let mean = rows[1]["value"].as_f64().unwrap();
            assert!((sum - exact).abs() <= 200_000.0 * 40.0 * unit, "{sum} {exact}");
            assert!((mean - exact / 3e5).abs() <= 40.0 * unit, "{mean}");
        }
    }
}

#[test]
fn json_has_its_keys_in_order() {
    let folder = Folder::new("reduce-json");
    let file = folder.write("a.npy", &plain(Element::U32, &[Number::Integer(3)]));
    let output = run(&[&file, &file, "--op", "sum,max", "--json", "--verify"]);
    let rows = rows(&output);
    assert_eq!(rows.len(), 4);
    for row in &rows {
        let keys: Vec<_> = row.as_object().unwrap().keys().collect();
        assert_eq!(keys, KEYS);
        assert!(row["index"].is_null());
        assert!(row["gpu_ms"].is_null() || row["gpu_ms"].as_f64().unwrap() > 0.0);
        assert!(row["wall_ms"].as_f64().unwrap() > 0.0);
        assert!(!row["adapter"].as_str().unwrap().is_empty());
    }
    // The order is that of the text, too, whatever a parser makes of it.
    let text = stdout(&output);
    let places: Vec<_> = KEYS.iter().map(|key| text.find(&format!("\"{key}\":")).unwrap()).collect();
    assert!(places.is_sorted());
}

#[test]
fn text_is_a_line_for_each_file_and_operator() {
    let folder = Folder::new("reduce-text");
    let most = plain(Element::U32, &[Number::Integer(u32::MAX.into()); 3]);
    let most = folder.write("most of all.npy", &most);
    let tenth = folder.write("tenth.npy", &plain(Element::F32, &[Number::Float(0.1)]));
    let text = stdout(&run(&[&most, &tenth, "--op", "sum,min", "--verify"]));
    let lines: Vec<Vec<_>> = text
        .lines()
        .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
        .collect();
    assert_eq!(
        lines,
        [
            [most.as_str(), "sum", "u32", "3", "12884901885", "verified"],
            [most.as_str(), "min", "u32", "3", "4294967295", "verified"],
            [tenth.as_str(), "sum", "f32", "1", "0.1", "verified"],
            [tenth.as_str(), "min", "f32", "1", "0.1", "verified"],
        ]
    );
    assert!(!stdout(&run(&[&most])).contains("verified"));
}

#[test]
fn bad_input_is_refused_before_anything_runs() {
    let folder = Folder::new("reduce-bad");
    let good = folder.write("good.npy", &plain(Element::F32, &[Number::Float(1.0); 9]));
    let whole = plain(Element::F32, &[Number::Float(1.0); 9]);
    let ragged = folder.write("ragged.bin", &[0; 10]);
    let missing = folder.0.join("missing.npy").to_str().unwrap().to_owned();
    let directory = folder.0.to_str().unwrap();
    let short = folder.write("short.npy", &whole[..whole.len() - 1]);
    let headless = folder.write("headless.npy", &whole[..20]);
    let empty = folder.write("empty.npy", &[]);
    let complex = folder.write("complex.npy", &npy("<c8", false, &[1], &[0; 8]));
    let text = folder.write("text.npy", b"1.0\n2.0\n3.0\n");
    let bad = [
        (missing.as_str(), "no such file"),
        (directory, "directory"),
        (short.as_str(), "truncated"),
        (headless.as_str(), "truncated"),
        (empty.as_str(), "empty"),
        (complex.as_str(), "c8"),
        (text.as_str(), "not a .npy file"),
    ];
    for (file, why) in bad {
        refused(&run(&[file, "--json"]), &[file, why]);
    }
    // None of them hides what is good.
    let files: Vec<_> =
        [good.as_str()].into_iter().chain(bad.map(|(file, _)| file)).chain([&*good]).collect();
    for exact in [&[][..], &["--exact"]] {
        let output = run(&[&files[..], &["--json"], exact].concat());
        let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
        assert!(rows.len() == 2 && rows.iter().all(|row| row["value"] == 9.0), "{rows:?}");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(bad.iter().all(|(file, why)| errors.contains(file) && errors.contains(why)), "{errors}");
        assert_eq!((output.status.code(), errors.lines().count()), (Some(2), bad.len()));
    }
    let state = folder.path("state");
    refused(&run(&[&good, &text, "--exact", "--state", &state]), &[&text]);
    refused(&run(&[&missing, &ragged, "--raw", "f32"]), &["no such file", "10 bytes"]);
    refused(&run(&[&ragged, "--raw", "f32"]), &[&ragged, "10 bytes"]);
    refused(&run(&[&good, "--raw", "float"]), &["unknown type `float`", "f16"]);
    refused(&run(&[&good, "--op", "sum,quartile"]), &["quartile", "sum, min, max, product, mean"]);
    refused(&run(&[&good, "--adapter", "no such GPU"]), &["unknown adapter `no such GPU`", "\n  0: "]);
    refused(&run(&[]), &["FILE"]);
    let odd = folder.write("b\u{1b}[31m\n.npy", &whole);
    let shown = stdout(&run(&[&odd, "--piece", "1Ki"]));
    assert!(shown.lines().count() == 1 && shown.contains("b\u{fffd}[31m\u{fffd}.npy  sum  f32"), "{shown}");
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let path = folder.0.join(std::ffi::OsStr::from_bytes(b"bad\xff.npy"));
        fs::write(&path, &whole).unwrap();
        let output = crate::files::command("reduce", &[]).arg(&path).output().unwrap();
        assert!(stdout(&output).contains("bad\u{fffd}.npy  sum  f32  9  9.0"));
    }
    folder.write("-dash.npy", &whole);
    let dash = crate::files::command("reduce", &["-dash.npy"]).current_dir(&folder.0).output().unwrap();
    refused(&dash, &["write ./-dash.npy"]);
}

/// On adapters without the features of 64-bit and 16-bit floats and 64-bit integers, as software GL is.
#[test]
fn missing_features_are_named_with_a_remedy() {
    let folder = Folder::new("reduce-lacking");
    let adapters = pollster::block_on(halofold::adapter::list());
    for (element, feature) in [
        (Element::F64, wgpu::Features::SHADER_F64),
        (Element::F16, wgpu::Features::SHADER_F16),
        (Element::I64, wgpu::Features::SHADER_INT64),
    ] {
        let having = adapters.iter().position(|adapter| adapter.features().contains(feature));
        let lacking = adapters.iter().position(|adapter| !adapter.features().contains(feature));
        let Some(lacking) = lacking else { continue };
        let lacking = lacking.to_string();
        let file = folder.write("a.npy", &plain(element, &numbers(element, 9)));
        let refusal = |options: &[&str]| {
            let output = run(&[&[file.as_str(), "--adapter", &lacking], options].concat());
            refused(&output, &[&file, "SHADER_"]);
            String::from_utf8_lossy(&output.stderr).into_owned()
        };
        let integers = [&["--op", "sum"][..], &["--op", "product"], &["--op", "sum", "--axis", "0"]];
        // Sums of floats are exact, in integers that every adapter has.
        let floats = [&["--fast"][..], &["--op", "product"], &["--fast", "--axis", "0"]];
        let [sum, product, axis] = if element.is_float() { floats } else { integers }.map(refusal);
        for message in [&sum, &axis] {
            assert_eq!(message.contains("without --fast"), element.is_float(), "{message}");
        }
        assert!(!product.contains("--fast"), "{product}");
        match having {
            Some(having) => assert!(product.contains(&format!("--adapter {having} (")), "{product}"),
            None if element.is_float() => {
                assert!(product.contains("WGPU_BACKEND") || product.contains("'f4'"), "{product}")
            }
            None => assert!(product.contains("WGPU_BACKEND") || product.contains("no adapter"), "{product}"),
        }
        if element == Element::F64 {
            // Bits are compared as pairs of words.
            let ops = "min,max,arg-min,arg-max,min-max,max-norm,count,any,all";
            stdout(&run(&[&file, "--adapter", &lacking, "--op", ops, "--verify"]));
        }
        if element.is_float() {
            stdout(&run(&[&file, "--adapter", &lacking, "--op", "sum,mean", "--verify"]));
            stdout(&run(&[&file, "--adapter", &lacking, "--axis", "0", "--verify"]));
        }
    }
}

/// More files than a process may have open at once: macOS allows 256.
#[cfg(unix)]
#[test]
fn files_are_not_all_open_at_once() {
    let folder = Folder::new("reduce-many");
    let files: Vec<_> = (0..300)
        .map(|i| folder.write(&format!("{i}.npy"), &plain(Element::U32, &[Number::Integer(i)])))
        .collect();
    let files: Vec<_> = ["--json"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let rows = rows(&limited("ulimit -n 200", &command("reduce", &files)));
    assert_eq!(rows.len(), 300);
    assert!(rows.iter().enumerate().all(|(i, row)| row["value"] == i));
}
