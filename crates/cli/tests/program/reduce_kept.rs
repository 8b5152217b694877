//! `halofold reduce --skip-nan` and `--where`: results of some of the elements.

use crate::files::{Folder, npy, reduce, refused, rows, stdout};
use serde_json::{Value, json};

/// Six rows of four; the third is all NaN, and others have one.
fn rows_with_nan() -> Vec<u8> {
    let one = |at: usize| match (at / 4, at % 4) {
        (2, _) | (4, 1) | (5, 3) => f32::NAN,
        _ => 1e6 + at as f32,
    };
    (0..24).flat_map(|at| one(at).to_le_bytes()).collect()
}

fn values(args: &[&str]) -> Vec<(Value, Value)> {
    let rows = rows(&reduce(&[args, &["--skip-nan", "--verify", "--json"]].concat()));
    assert!(rows.iter().all(|row| row["skipped"] == 6), "{rows:?}");
    rows.into_iter().map(|mut row| (row["value"].take(), row["index"].take())).collect()
}

#[test]
fn nans_are_left_out_and_counted() {
    let folder = Folder::new("skip-nan");
    let path = folder.write("rows.npy", &npy("<f4", false, &[6, 4], &rows_with_nan()));
    let args = ["--op", "sum,mean,sample-variance,min-max,arg-max,count"];
    // Exact sums and others, in one piece and in pieces that are all NaN.
    for more in [&[][..], &["--piece", "16"], &["--fast", "--piece", "32"]] {
        let found = values(&[&[&*path][..], &args, more].concat());
        let [sum, mean, variance, range, place, count] = &found[..] else { panic!("{found:?}") };
        // Of 0 to 7, 12 to 16 and 18 to 22 the sum is 198, that of the squares 3140.
        assert_eq!((&sum.0, &mean.0), (&json!(18_000_198.0), &json!(1_000_011.0)), "{more:?}");
        let expected = (3140.0 - 198.0 * 198.0 / 18.0) / 17.0;
        let is_fast = more.contains(&"--fast");
        let variance = variance.0.as_f64().unwrap();
        assert!((variance / expected - 1.0).abs() < if is_fast { 2e-2 } else { 1e-6 }, "{variance} {more:?}");
        assert_eq!(range.0, json!([1_000_000.0, 1_000_022.0]));
        assert_eq!((&place.0, &place.1, &count.0), (&json!(1_000_022.0), &json!(22), &json!(18)));
    }
    let along = values(&[&path, "--op", "sum,min,arg-min", "--axis", "1"]);
    assert_eq!(along[0].0[2], 0.0);
    assert_eq!(along[1].0, json!([1e6, 1_000_004.0, null, 1_000_012.0, 1_000_016.0, 1_000_020.0]));
    assert_eq!(along[2].1, json!([0, 0, null, 0, 0, 0]));
    let means = folder.path("means.npy");
    stdout(&reduce(&[&path, "--op", "mean", "--axis", "1", "--skip-nan", "-o", &means]));
    let bytes = std::fs::read(means).unwrap();
    let mean = |row: usize| f32::from_le_bytes(bytes[bytes.len() - 24 + 4 * row..][..4].try_into().unwrap());
    assert_eq!((mean(0), mean(2).is_nan()), (1_000_001.5, true));
}

#[test]
fn places_of_nothing_are_not_written_and_integers_have_no_nan() {
    let folder = Folder::new("skip-nan-nothing");
    let path = folder.write("rows.npy", &npy("<f4", false, &[6, 4], &rows_with_nan()));
    let out = folder.path("places.npy");
    let run = reduce(&[&path, "--op", "arg-min", "--axis", "1", "--skip-nan", "-o", &out]);
    refused(&run, &["result 2", "left out"]);
    let integers = folder.write("integers.npy", &npy("<i4", false, &[2], &[7, 0, 0, 0, 1, 0, 0, 0]));
    assert!(stdout(&reduce(&[&integers, "--skip-nan"])).contains("8  0 skipped"));
}

/// The mask of every element but each third.
fn mask(fortran: bool, shape: &[usize]) -> Vec<u8> {
    let bytes: Vec<u8> =
        (0..shape.iter().product()).map(|at: usize| u8::from(!at.is_multiple_of(3))).collect();
    npy("|b1", fortran, shape, &bytes)
}

#[test]
fn masks_keep_elements_of_every_type() {
    let folder = Folder::new("where");
    let shape = [30, 8];
    let mask = folder.write("mask.npy", &mask(false, &shape));
    let numbers: Vec<f64> = (0..240u32).map(|at| f64::from(at * 37 % 100)).collect();
    let kept: Vec<f64> = (0..240).filter(|at| at % 3 != 0).map(|at| numbers[at]).collect();
    let n = kept.len() as f64;
    let mean = kept.iter().sum::<f64>() / n;
    let variance = kept.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    let greatest = kept.iter().copied().fold(0.0, f64::max);
    for (descr, exact) in [("<f4", true), ("<f2", true), ("|u1", false), ("<i4", false)] {
        let bytes = |x: &f64| match descr {
            "<f4" => (*x as f32).to_le_bytes().to_vec(),
            "<f2" => half::f16::from_f64(*x).to_le_bytes().to_vec(),
            "|u1" => vec![*x as u8],
            _ => (*x as i32).to_le_bytes().to_vec(),
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(bytes).collect();
        let path = folder.write("numbers.npy", &npy(descr, false, &shape, &bytes));
        let args = [&path, "--where", &mask, "--op", "sum,mean,variance,max,arg-max", "--verify", "--json"];
        let found = rows(&reduce(&[&args[..], &["--piece", "128"]].concat()));
        let [sum, average, spread, most, place] = &found[..] else { panic!("{found:?}") };
        assert!(found.iter().all(|row| row["skipped"] == 80), "{found:?}");
        assert_eq!(sum["value"].as_f64(), Some(kept.iter().sum()), "{descr}");
        assert_eq!(sum["bits"].is_string(), exact, "{descr}");
        for (row, expected) in [(average, mean), (spread, variance), (most, greatest)] {
            let found = row["value"].as_f64().unwrap();
            assert!((found / expected - 1.0).abs() < 1e-6, "{found} is not {expected}, {descr}");
        }
        let expected = (0..240).find(|at| at % 3 != 0 && numbers[*at] == greatest);
        assert_eq!(place["index"].as_u64(), expected.map(|at| at as u64), "{descr}");
        let along = rows(&reduce(&[&args[..5], &["--axis", "0", "--verify", "--json"]].concat()));
        assert_eq!(along[0]["skipped"], 80);
    }
}

#[test]
fn masks_and_places_in_fortrans_order_and_wrong_masks() {
    let folder = Folder::new("where-fortran");
    // Equal elements at (0, 0), (0, 1), (1, 0): the mask leaves out the first, and NaN goes besides.
    let items = [5.0f32, 5.0, f32::NAN, 5.0, 1.0, 1.0];
    let bytes: Vec<u8> = items.iter().flat_map(|x| x.to_le_bytes()).collect();
    let path = folder.write("a.npy", &npy("<f4", true, &[3, 2], &bytes));
    let mask = folder.write("mask.npy", &mask(true, &[3, 2]));
    let args = [&path, "--where", &mask, "--skip-nan", "--op", "arg-max,count", "--verify", "--json"];
    let found = rows(&reduce(&args));
    assert_eq!(
        (&found[0]["index"], &found[1]["value"], &found[1]["skipped"]),
        (&json!(2), &json!(3), &json!(3))
    );
    refused(&reduce(&[&path, "--where", &path]), &["--where", "f32", "bool"]);
    let other = folder.write("other.npy", &npy("|b1", false, &[2], &[1, 1]));
    refused(&reduce(&[&path, "--where", &other]), &["--where", "(2,)", "(3, 2)"]);
    refused(&reduce(&[&path, "--where", &mask, "--op", "dot"]), &["--where", "dot"]);
    refused(&reduce(&[&path, "--where", &mask, "--exact", "--op", "std"]), &["std", "--where"]);
}
