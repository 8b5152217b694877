//! Text, JSON, CSV and arrays.

use std::fs;

use serde_json::json;

use crate::files::{Folder, npy, reduce as run, reduce_on, refused, rows, stdout};
use crate::keys::assert_documented;

fn array(shape: &[usize], data: &[f32]) -> Vec<u8> {
    npy("<f4", false, shape, bytemuck::cast_slice(data))
}

#[test]
fn values_are_printed_alone_and_as_csv() {
    let folder = Folder::new("reduce-output");
    let file = folder.write("a, b.npy", &array(&[3, 2], &[1.5, -2.0, 0.25, 8.0, f32::NAN, 1e10]));
    let text = |args: &[&str]| stdout(&run(&[&[file.as_str()][..], args].concat()));
    assert_eq!(text(&["-q", "--axis", "1", "--op", "sum,arg-max"]), "-0.5\n8.25\nNaN\n0\n1\n0\n");
    assert_eq!(text(&["-q", "--op", "top", "--smallest", "--k", "2"]), "-2.0\n0.25\n");
    assert_eq!(text(&["-q", "--op", "max", "-o", &folder.path("out.npy")]), "");
    let csv = text(&["--csv", "--verify", "--axis", "0", "--op", "min-max,arg-min,any"]);
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines[0], "file,op,q,key,type,n,skipped,place,value,index,bits,check,gpu_ms,wall_ms,adapter");
    let row = |number: usize, rest: &str| {
        let start = format!("\"{file}\",{rest},,verified,");
        assert!(lines[number].starts_with(&start), "{} is not {start}", lines[number]);
    };
    row(3, "min-max,,,f32,6,,\"1,0\",-2.0,");
    row(4, "min-max,,,f32,6,,\"1,1\",10000000000.0,");
    row(5, "arg-min,,,f32,6,,0,NaN,2");
    row(8, "any,,,f32,6,,1,true,");
    assert_eq!(lines.len(), 9);
    let csv = text(&["--csv", "--exact", "--op", "sum", "--axis", "1"]);
    assert!(csv.contains(",0,-0.5,,0xbf000000,,"), "{csv}");
}

#[test]
fn json_has_documented_keys_and_nested_lists() {
    let folder = Folder::new("reduce-json");
    let file = folder.write("a.npy", &array(&[2, 2], &[1.0, 2.0, 3.0, f32::INFINITY]));
    let row = &rows(&run(&[&file, "--op", "max", "--axis", "0", "--json", "--skip-nan", "--verify"]))[0];
    assert_documented(row, "`reduce`");
    assert_eq!((&row["value"], &row["shape"], &row["axis"]), (&json!([3.0, "inf"]), &json!([2]), &json!(0)));
    let row = &rows(&run(&[
        &file,
        "--op",
        "mean",
        "--by",
        &folder.write("l.npy", &npy("|u1", false, &[2, 2], &[3, 1, 3, 1])),
        "--json",
    ]))[1];
    assert_eq!((&row["key"], &row["n"], &row["value"]), (&json!(3), &json!(2), &json!(2.0)));
}

#[test]
fn text_is_a_line_a_result_and_abbreviates_long_arrays() {
    let folder = Folder::new("reduce-text");
    let data: Vec<f32> = (0..3000).map(|x| x as f32).collect();
    let file = folder.write("a.npy", &array(&[1500, 2], &data));
    let text = stdout(&run(&[&file, "--axis", "1", "--op", "max"]));
    assert!(text.ends_with("[1.0, 3.0, 5.0, ..., 2995.0, 2997.0, 2999.0]\n"), "{text}");
    assert_eq!(stdout(&run(&[&file, "--axis", "1", "--op", "max", "-q"])).lines().count(), 1500);
    let values = &rows(&run(&[&file, "--axis", "1", "--op", "max", "--json"]))[0]["value"];
    assert_eq!(values.as_array().unwrap().len(), 1500);
    let text = stdout(&run(&[&file, "--op", "sum,arg-max,median", "--fast"]));
    assert!(
        text.contains("  sum      f32  3000  4498500.0\n") && text.contains("2999.0 at 2999\n"),
        "{text}"
    );
    let text = stdout(&run(&[&file, "--exact"]));
    assert!(text.ends_with("4498500.0  0x4a894888\n"), "{text}");
}

#[test]
fn archives_hold_an_array_for_each_operator() {
    let folder = Folder::new("reduce-archive");
    let file = folder.write("a.npy", &array(&[2, 2], &[1.0, 2.0, 3.0, 4.0]));
    let other = folder.write("b.npy", &array(&[1], &[7.0]));
    let out = folder.path("out.npz");
    stdout(&run(&[&file, "--op", "sum,quantile", "--axis", "0", "--quantiles", "0.5", "-o", &out]));
    assert_eq!(stdout(&run(&[&format!("{out}:sum"), "--op", "max", "-q"])), "6.0\n");
    let row = &rows(&run(&[&format!("{out}:quantile"), "--axis", "0", "--op", "max", "--json"]))[0];
    assert_eq!(row["value"], json!([2.0, 3.0]));
    stdout(&run(&[&file, &other, "--op", "max", "-o", &out]));
    assert_eq!(stdout(&run(&[&format!("{out}:b/max"), "-q"])), "7.0\n");
    refused(&run(&[&out]), &["FILE.npz:NAME", "a/max, b/max"]);
}

#[test]
fn empty_input_has_identities_or_no_value() {
    let folder = Folder::new("reduce-empty");
    let file = folder.write("a.npy", &array(&[0, 3], &[]));
    let text = stdout(&run(&[&file, "--op", "sum,product,mean,max,median,any,all", "-q"]));
    assert_eq!(text, "0.0\n1.0\n-\n-\n-\nfalse\ntrue\n");
    assert_eq!(stdout(&run(&[&file, "--op", "sum,median", "--axis", "0", "-q"])), "0.0\n0.0\n0.0\n-\n-\n-\n");
    // No rows have no results.
    for op in ["sum", "median", "quantile", "top", "max"] {
        let rows = rows(&run(&[&file, "--op", op, "--axis", "1", "--json"]));
        assert_eq!(rows[0]["value"], json!([]), "{op}");
    }
}

#[test]
fn streams_of_any_kind_are_read() {
    let bytes = array(&[4], &[1.0, 2.0, 3.0, 6.0]);
    assert_eq!(stdout(&reduce_on(&["-", "--op", "mean,median", "-q"], &bytes)), "3.0\n2.5\n");
    assert_eq!(stdout(&reduce_on(&["-", "--raw", "u8", "-q"], &[1, 2, 250])), "253\n");
    refused(&reduce_on(&["-"], &bytes[..bytes.len() - 1]), &["standard input", "truncated"]);
    refused(&reduce_on(&["-", "--raw", "f32"], &[0; 6]), &["6 bytes are not a multiple"]);
}

#[test]
fn exact_sums_have_the_same_bits_in_any_order() {
    let folder = Folder::new("reduce-exact");
    let mut data: Vec<f32> =
        (0..100_000).map(|x| (x * 7919 % 9973) as f32 * 1e-3 + 1e8 * (x % 3 - 1) as f32).collect();
    let bits = |name: &str, data: &[f32]| {
        let file = folder.write(name, &array(&[data.len()], data));
        let rows = rows(&run(&[&file, "--exact", "--op", "sum,mean,std,l2", "--json", "--verify"]));
        rows.iter().map(|row| row["bits"].clone()).collect::<Vec<_>>()
    };
    let before = bits("a.npy", &data);
    data.reverse();
    assert_eq!(bits("b.npy", &data), before);
    assert!(before.iter().all(|bits| bits.is_string()), "{before:?}");
}

#[test]
fn outputs_are_written_as_numpys_types_on_every_adapter() {
    let folder = Folder::new("reduce-types");
    let bytes = |kind: &str, data: &[u8], args: &[&str]| {
        let file = folder.write("a.npy", &npy(kind, false, &[2, 2], data));
        let out = folder.path("out.npy");
        stdout(&run(&[&[&*file, "--axis", "1", "-o", &out], args].concat()));
        fs::read(out).unwrap()[128..].to_vec()
    };
    assert_eq!(bytes("|u1", &[1, 2, 250, 251], &["--op", "max"]), [2, 251]);
    assert_eq!(bytes("|i1", &[1, 2, 250, 251], &["--op", "sum"]), [3i64, -11].map(i64::to_le_bytes).concat());
    assert_eq!(bytes("|b1", &[1, 0, 0, 0], &["--op", "any"]), [1, 0]);
    assert_eq!(bytes("|u1", &[1, 2, 5, 4], &["--op", "min-max"]), [1, 2, 4, 5]);
    assert_eq!(bytes("|u1", &[1, 2, 5, 4], &["--op", "arg-max"]), [1u64, 0].map(u64::to_le_bytes).concat());
}

#[test]
fn count_is_the_number_of_elements_that_are_kept() {
    let folder = Folder::new("reduce-count");
    let file = folder.write("a.npy", &array(&[5], &[0.0, 0.0, 7.0, f32::NAN, 9.0]));
    let labels = folder.write("l.npy", &npy("|u1", false, &[5], &[0, 0, 0, 1, 1]));
    let text = |options: &[&str]| stdout(&run(&[&[&*file, "-q"], options].concat()));
    assert_eq!(text(&["--op", "count,count-nonzero"]), "5\n3\n");
    assert_eq!(text(&["--op", "count,count_nonzero", "--skip-nan"]), "4\n2\n");
    assert_eq!(text(&["--op", "count", "--skip-nan", "--by", &labels]), "3\n1\n");
}

#[test]
fn the_middle_of_far_elements_is_between_them() {
    let folder = Folder::new("reduce-middle");
    let median = |kind: &str, data: &[u8]| {
        let file = folder.write("a.npy", &npy(kind, false, &[2], data));
        stdout(&run(&[&file, "--op", "median,quantile,mean", "--quantiles", "0.5", "-q"]))
    };
    let far = [-1e9f32, 100.0].map(f32::to_le_bytes).concat();
    assert_eq!(median("<f4", &far), "-499999940.0\n-499999950.0\n-499999940.0\n");
    let halves = [-9000.0, 100.0].map(|x| half::f16::from_f64(x).to_le_bytes()).concat();
    assert_eq!(median("<f2", &halves), "-4450.0\n-4450.0\n-4450.0\n");
    let ends = [-(1i64 << 62), (1 << 62) - 1].map(i64::to_le_bytes).concat();
    assert_eq!(median("<i8", &ends), "-0.5\n-0.5\n-0.5\n");
}
