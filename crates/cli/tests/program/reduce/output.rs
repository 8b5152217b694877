//! Text, JSON, CSV and arrays.

use std::fs;

use serde_json::{Value, json};

use crate::files::{Folder, assert_has, fine, npy, parsed, refused};
#[cfg(unix)]
use crate::files::{command, limited};
use crate::keys::assert_documented;

fn array(shape: &[usize], data: &[f32]) -> Vec<u8> {
    npy("<f4", false, shape, bytemuck::cast_slice(data))
}

fn rows_of(folder: &Folder, request: &str) -> Vec<Value> {
    parsed(&folder.run(&format!("reduce {request} --json")))
}

#[test]
fn values_are_printed_alone_and_as_csv() {
    let folder = Folder::new("reduce-output");
    folder.write("a.npy", &array(&[3, 2], &[1.5, -2.0, 0.25, 8.0, f32::NAN, 1e10]));
    let text = |options: &str| folder.fine(&format!("reduce a.npy {options}"));
    assert_eq!(text("-q --axis 1 --op sum,arg-max"), "-0.5\n8.25\nNaN\n0\n1\n0\n");
    assert_eq!(text("-q --op top --smallest --k 2"), "-2.0\n0.25\n");
    assert_eq!(text("-q --op max -o out.npy"), "");
    fs::rename(folder.path("a.npy"), folder.path("a,b.npy")).unwrap();
    let csv = folder.fine("reduce a,b.npy --csv --verify --axis 0 --op min-max,arg-min,any");
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines[0], "file,op,q,key,type,n,skipped,place,value,index,bits,check,gpu_ms,wall_ms,adapter");
    for (number, rest) in [
        (3, "min-max,,,f32,6,,\"1,0\",-2.0,"),
        (4, "min-max,,,f32,6,,\"1,1\",10000000000.0,"),
        (5, "arg-min,,,f32,6,,0,NaN,2"),
        (8, "any,,,f32,6,,1,true,"),
    ] {
        let start = format!("\"a,b.npy\",{rest},,verified,");
        assert!(lines[number].starts_with(&start), "{} is not {start}", lines[number]);
    }
    assert_eq!(lines.len(), 9);
    let csv = folder.fine("reduce a,b.npy --csv --exact --op sum --axis 1");
    assert!(csv.contains(",0,-0.5,,0xbf000000,,"), "{csv}");
}

#[test]
fn json_has_documented_keys_and_nested_lists() {
    let folder = Folder::new("reduce-json");
    folder.write("a.npy", &array(&[2, 2], &[1.0, 2.0, 3.0, f32::INFINITY]));
    folder.write("l.npy", &npy("|u1", false, &[2, 2], &[3, 1, 3, 1]));
    let row = &rows_of(&folder, "a.npy --op max --axis 0 --skip-nan --verify")[0];
    assert_documented(row, "`reduce`");
    assert_eq!((&row["value"], &row["shape"], &row["axis"]), (&json!([3.0, "inf"]), &json!([2]), &json!(0)));
    let row = &rows_of(&folder, "a.npy --op mean --by l.npy")[1];
    assert_eq!((&row["key"], &row["n"], &row["value"]), (&json!(3), &json!(2), &json!(2.0)));
}

#[test]
fn text_is_a_line_a_result_and_abbreviates_long_arrays() {
    let folder = Folder::new("reduce-text");
    let data: Vec<f32> = (0..3000).map(|x| x as f32).collect();
    folder.write("a.npy", &array(&[1500, 2], &data));
    let text = folder.fine("reduce a.npy --axis 1 --op max");
    assert!(text.ends_with("[1.0, 3.0, 5.0, ..., 2995.0, 2997.0, 2999.0]\n"), "{text}");
    assert_eq!(folder.fine("reduce a.npy --axis 1 --op max -q").lines().count(), 1500);
    let values = &rows_of(&folder, "a.npy --axis 1 --op max")[0]["value"];
    assert_eq!(values.as_array().unwrap().len(), 1500);
    let text = folder.fine("reduce a.npy --op sum,arg-max,median --fast");
    assert_has(&text, &["  sum      f32  3000  4498500.0\n", "2999.0 at 2999\n"]);
    let text = folder.fine("reduce a.npy --exact");
    assert!(text.ends_with("4498500.0  0x4a894888\n"), "{text}");
    let odd = folder.write("b\u{1b}[31m\n.npy", &array(&[9], &[1.0; 9]));
    let text = fine(&["reduce", &odd]);
    assert!(text.lines().count() == 1 && text.contains("b\u{fffd}[31m\u{fffd}.npy  sum  f32"), "{text}");
}

#[test]
fn archives_hold_an_array_for_each_operator() {
    let folder = Folder::new("reduce-archive");
    folder.write("a.npy", &array(&[2, 2], &[1.0, 2.0, 3.0, 4.0]));
    folder.write("b.npy", &array(&[1], &[7.0]));
    folder.fine("reduce a.npy --op sum,quantile --axis 0 --quantiles 0.5 -o out.npz");
    assert_eq!(folder.fine("reduce out.npz:sum --op max -q"), "6.0\n");
    assert_eq!(rows_of(&folder, "out.npz:quantile --axis 0 --op max")[0]["value"], json!([2.0, 3.0]));
    folder.fine("reduce a.npy b.npy --op max -o out.npz");
    assert_eq!(folder.fine("reduce out.npz:b/max -q"), "7.0\n");
    refused(&folder.run("reduce out.npz"), &["FILE.npz:NAME", "a/max, b/max"]);
}

#[test]
fn empty_input_has_identities_or_no_value() {
    let folder = Folder::new("reduce-empty");
    folder.write("a.npy", &array(&[0, 3], &[]));
    let text = folder.fine("reduce a.npy --op sum,product,mean,max,median,any,all -q");
    assert_eq!(text, "0.0\n1.0\n-\n-\n-\nfalse\ntrue\n");
    assert_eq!(folder.fine("reduce a.npy --op sum,median --axis 0 -q"), "0.0\n0.0\n0.0\n-\n-\n-\n");
    // No rows have no results.
    for op in ["sum", "median", "quantile", "top", "max"] {
        assert_eq!(rows_of(&folder, &format!("a.npy --op {op} --axis 1"))[0]["value"], json!([]), "{op}");
    }
}

#[test]
fn streams_of_any_kind_are_read() {
    let folder = Folder::new("reduce-streams");
    folder.write("a.npy", &array(&[4], &[1.0, 2.0, 3.0, 6.0]));
    folder.write("bytes", &[1, 2, 250]);
    assert_eq!(folder.fine("reduce - --op mean,median -q < a.npy"), "3.0\n2.5\n");
    assert_eq!(folder.fine("reduce - --raw u8 -q < bytes"), "253\n");
}

/// More files than a process may have open at once: macOS allows 256.
#[cfg(unix)]
#[test]
fn files_are_not_all_open_at_once() {
    let folder = Folder::new("reduce-many");
    let files: Vec<_> =
        (0..300).map(|i| folder.write(&format!("{i}.npy"), &array(&[i], &vec![1.0; i]))).collect();
    let files: Vec<_> = ["--json"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let rows: Vec<Value> = parsed(&limited("ulimit -n 200", &command("reduce", &files)));
    assert!(rows.len() == 300 && rows.iter().enumerate().all(|(i, row)| row["value"] == i as f64));
}

#[test]
fn count_is_the_number_of_elements_that_are_kept() {
    let folder = Folder::new("reduce-count");
    folder.write("a.npy", &array(&[5], &[0.0, 0.0, 7.0, f32::NAN, 9.0]));
    folder.write("l.npy", &npy("|u1", false, &[5], &[0, 0, 0, 1, 1]));
    for (options, counts) in [
        ("--op count,count-nonzero", "5\n3\n"),
        ("--op count,count_nonzero --skip-nan", "4\n2\n"),
        ("--op count --skip-nan --by l.npy", "3\n1\n"),
    ] {
        assert_eq!(folder.fine(&format!("reduce a.npy -q {options}")), counts, "{options}");
    }
}

#[test]
fn median_of_far_elements_is_between_them() {
    let folder = Folder::new("reduce-middle");
    let middles = |kind: &str, data: &[u8]| {
        folder.write("a.npy", &npy(kind, false, &[2], data));
        folder.fine("reduce a.npy --op median,quantile,mean --quantiles 0.5 -q")
    };
    let far = [-1e9f32, 100.0].map(f32::to_le_bytes).concat();
    assert_eq!(middles("<f4", &far), "-499999940.0\n-499999950.0\n-499999940.0\n");
    let halves = [-9000.0, 100.0].map(|x| half::f16::from_f64(x).to_le_bytes()).concat();
    assert_eq!(middles("<f2", &halves), "-4450.0\n-4450.0\n-4450.0\n");
    let ends = [-(1i64 << 62), (1 << 62) - 1].map(i64::to_le_bytes).concat();
    assert_eq!(middles("<i8", &ends), "-0.5\n-0.5\n-0.5\n");
}
