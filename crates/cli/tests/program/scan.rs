//! `halofold scan`: the arrays that NumPy's cumsum, cumprod, minimum.accumulate and maximum.accumulate would be, byte for byte.

use std::fs;

use halofold::wgpu::Features;
use halofold_cli::files::npy;
use serde_json::json;

use crate::files::layout::{in_c_order, lines};
use crate::files::{self, Folder, command, encode, features, halofold, refused, rows, run_on, stdout};

/// A scan of small whole numbers in a shape, and its options.
struct Case {
    kind: &'static str,
    shape: &'static [usize],
    fortran: bool,
    axis: Option<usize>,
    op: &'static str,
    /// The result of no elements in an exclusive scan.
    first: Option<f64>,
    /// The type of the results.
    result: &'static str,
    piece: &'static str,
}

const SUMS: Case = Case {
    kind: "i2",
    shape: &[3, 4, 5],
    fortran: false,
    axis: None,
    op: "sum",
    first: None,
    result: "i8",
    piece: "64Mi",
};

impl Case {
    /// The number at a place in memory.
    fn number(&self, place: usize) -> f64 {
        let number = (place * 7 % 11) as f64 - 3.0;
        match &self.kind[..1] {
            "b" => f64::from(number > 5.0),
            "u" => number.abs() + 1.0,
            _ => number,
        }
    }

    /// The file that is expected.
    fn expected(&self) -> Vec<u8> {
        let Case { shape, fortran, op, first, .. } = *self;
        let lines = match self.axis {
            Some(axis) => lines(shape, axis, fortran),
            None => vec![in_c_order(shape, fortran)],
        };
        let mut results = vec![0.0; shape.iter().product()];
        for line in &lines {
            let mut before = None;
            for (nth, place) in line.iter().enumerate() {
                let x = self.number(*place);
                let through = before.map_or(x, |before: f64| match op {
                    "sum" => before + x,
                    "product" => before * x,
                    "min" => before.min(x),
                    _ => before.max(x),
                });
                let result = first.map_or(through, |first| before.unwrap_or(first));
                // All elements have a dimension of their own.
                results[if self.axis.is_some() { *place } else { nth }] = result;
                before = Some(through);
            }
        }
        let bytes: Vec<_> = results.iter().flat_map(|x| encode(self.result, *x)).collect();
        let shape: Vec<_> = shape.iter().map(|len| *len as u64).collect();
        let (shape, fortran) =
            if self.axis.is_some() { (shape, fortran) } else { (vec![results.len() as u64], false) };
        let mark = if self.result.ends_with('1') { '|' } else { '<' };
        let mut file = Vec::new();
        npy::write(&mut file, &format!("{mark}{}", self.result), &shape, fortran, &bytes).unwrap();
        file
    }

    fn check(&self, folder: &Folder) {
        let Case { kind, shape, fortran, op, .. } = *self;
        let bytes: Vec<_> =
            (0..shape.iter().product()).flat_map(|place| encode(kind, self.number(place))).collect();
        let file = folder.write("a.npy", &files::npy(&format!("<{kind}"), fortran, shape, &bytes));
        let out = folder.path("out.npy");
        let mut args = vec!["scan", &file, "--op", op, "-o", &out, "--piece", self.piece, "--verify"];
        let axis = self.axis.map(|axis| format!("--axis={axis}"));
        args.extend(axis.as_deref().into_iter().chain(self.first.map(|_| "--exclusive")));
        let text = stdout(&halofold(&args));
        assert!(text.ends_with("verified\n"), "{args:?}: {text}");
        assert!(fs::read(&out).unwrap() == self.expected(), "{args:?}");
    }
}

#[test]
fn arrays_are_those_of_numpys_functions() {
    let folder = Folder::new("scan-arrays");
    for case in [
        SUMS,
        Case { fortran: true, axis: Some(0), first: Some(0.0), ..SUMS },
        Case { kind: "b1", op: "max", first: Some(0.0), axis: Some(1), result: "b1", ..SUMS },
        Case { kind: "i1", op: "min", first: Some(127.0), fortran: true, result: "i1", ..SUMS },
        Case { kind: "u4", op: "product", axis: Some(2), result: "u8", ..SUMS },
        Case { kind: "f4", op: "max", first: Some(f64::NEG_INFINITY), result: "f4", ..SUMS },
        Case { kind: "i4", shape: &[0, 3], axis: Some(1), ..SUMS },
        Case { kind: "i4", shape: &[], ..SUMS },
    ] {
        case.check(&folder);
    }
    if features().contains(Features::SHADER_F16) {
        Case { kind: "f2", fortran: true, axis: Some(1), result: "f4", ..SUMS }.check(&folder);
    }
}

#[test]
fn pieces_go_on_where_others_have_ended() {
    let folder = Folder::new("scan-pieces");
    let pieces = Case { shape: &[10_000], piece: "16384", ..SUMS };
    for case in [
        Case { kind: "f4", op: "sum", result: "f4", first: Some(0.0), ..pieces },
        Case { shape: &[3, 5000], axis: Some(1), ..pieces },
        Case { shape: &[5, 30, 50], axis: Some(1), ..pieces },
    ] {
        case.check(&folder);
    }
}

/// Zeros below zero, sums that cancel, and one that is infinite: `--verify` compares the bits of each prefix with those of a state.
#[test]
fn exact_sums_have_the_same_bits_however_the_file_is_cut() {
    let folder = Folder::new("scan-exact");
    let number = |at: usize| match at % 5 {
        _ if at < 3000 => -0.0,
        0 => 1e30f32,
        1 => 1e-40,
        2 => -1e30,
        3 => 3e-45 * at as f32,
        _ if at == 9999 => f32::INFINITY,
        _ => -0.1,
    };
    let bytes: Vec<_> = (0..10_000).flat_map(|at| number(at).to_le_bytes()).collect();
    let file = folder.write("a.npy", &files::npy("<f4", false, &[10_000], &bytes));
    let outputs = ["4096", "64Mi"].map(|piece| {
        let out = folder.path("out.npy");
        let args = ["scan", &file, "--exact", "--exclusive", "-o", &out, "--verify", "--piece", piece];
        let text = stdout(&halofold(&args));
        assert!(text.ends_with("verified\n"), "{text}");
        fs::read(&out).unwrap()
    });
    assert!(outputs[0] == outputs[1]);
}

#[test]
fn a_stream_is_scanned_and_described() {
    let folder = Folder::new("scan-stream");
    let out = folder.path("out.npy");
    let bytes: Vec<u8> = [1.5f32, -2.0, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let options = ["-", "--raw=f32", "--shape=-1,3", "--axis=-1", "-o", &out, "--json"];
    refused(&run_on(&mut command("scan", &options), &bytes), &["--shape"]);
    let options = ["-", "--raw=f32", "--shape=1,3", "--axis=-1", "-o", &out, "--json"];
    let row = rows(&run_on(&mut command("scan", &options), &bytes)).remove(0);
    let [axis, shape, dtype] = ["axis", "shape", "dtype"].map(|key| &row[key]);
    assert_eq!(json!([axis, shape, dtype, row["n"], row["output"]]), json!([1, [1, 3], "f4", 3, out]));
    assert!(fs::read(&out).unwrap().ends_with(&[1.5f32, -0.5, 3.5].map(f32::to_le_bytes).concat()));
}

#[test]
fn requests_that_make_no_array_are_refused() {
    let folder = Folder::new("scan-refused");
    let file = folder.write("a.npy", &files::npy("<f4", false, &[2, 2], &[0; 16]));
    let out = folder.path("out.npy");
    for (options, why) in [
        (&[&*file][..], "--output"),
        (&[&file, "-o", &file], "is the input"),
        (&[&file, "-o", "sums.txt"], "must end in .npy"),
        (&[&file, "-o", &out, "--axis=2"], "-2 to 1"),
        (&[&file, "-o", &out, "--op=mean"], "product"),
        (&[&file, "-o", &out, "--op=max", "--exact"], "leave out --exact"),
        (&[&file, "-o", &out, "--op=product", "--exact"], "sum of f32 and f16 has"),
        (&["-", "--raw=f32", "-o", &out], "--shape"),
        (&["-", "--raw=f32", "--shape=3", "-o", &out, "--verify"], "save it as a file"),
    ] {
        refused(&halofold(&[&["scan"], options].concat()), &[why]);
    }
    assert_eq!(files::names_in(&folder.0), ["a.npy"]);
}
