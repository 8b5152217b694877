//! Tests of the list, and of the references that cases take their results from.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};

use halofold::rank::Method;
use halofold::rank::reference::quantiles;
use halofold::reduce::reference::{Verdict, reduce};
use halofold::reduce::{Op, Scalar};
use halofold::{Element, Value};

use crate::{encode, parts};

/// The types of the library that run on a device: operations, and what has a function `new` that takes one.
fn operations(folder: &Path) -> BTreeSet<String> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of = |path: PathBuf| {
        if path.is_dir() {
            return operations(&path);
        }
        let text = fs::read_to_string(path).unwrap();
        let types = text.split("\nimpl ").skip(1).filter_map(|part| {
            let (head, body) = part.split("\n}").next().unwrap().split_once(" {")?;
            let is_made = body.contains("\n    pub fn new(device: &Device");
            let operation = ["Base for ", "OnDevice for "].iter().find_map(|of| head.strip_prefix(of));
            operation.or(Some(head).filter(|_| is_made))
        });
        types.map(str::to_owned).collect()
    };
    paths.flat_map(of).collect()
}

#[test]
fn every_operation_has_a_case() {
    let cases: Vec<_> = parts("").into_iter().flat_map(|part| part.cases).collect();
    let names: BTreeSet<_> = cases.iter().map(|case| &*case.name).collect();
    assert_eq!(names.len(), cases.len(), "a name is there twice");
    let mut tested: BTreeSet<_> = cases.iter().map(|case| case.operation.to_owned()).collect();
    // Memory of a reducer, which every case of one has.
    tested.insert("Workspace".to_owned());
    assert_eq!(tested, operations(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../src"))));
}

/// Numbers, whose results with NumPy are below.
const NUMBERS: [&[f64]; 4] = [
    &[3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, -6.0],
    &[0.1, 0.7, -2.25, 1000.0, 3.5, 0.3],
    &[1.0e-12, 3.0e-12, -2.0e-12, 7.0e-12, 5.0e-12],
    &[100000001.0, 99999998.0, 100000005.0, 100000000.0, 100000003.0],
];

/// NumPy's results in 64 bits; a second input is the first backwards, and weights its magnitudes. Skewness and kurtosis are SciPy's. Around
/// 10^8, where NumPy loses digits, the values are whole fractions, rounded once.
const NUMPY: [(Op, [f64; 4]); 17] = [
    (Op::Sum, [7.0, 1002.3499999999999, 1.4e-11, 500000007.0]),
    (Op::Mean, [0.875, 167.0583333333333, 2.8e-12, 100000001.4]),
    (Op::Variance, [20.859375, 138761.16368055556, 9.76e-24, 5.84]),
    (Op::SampleVariance, [23.839285714285715, 166513.39641666666, 1.22e-23, 7.3]),
    (Op::Deviation, [4.567206476611277, 372.50659548598003, 3.124099870362662e-12, 2.4166091947189146]),
    (Op::SampleDeviation, [4.882549100038393, 408.06053033424666, 3.4928498393145963e-12, 2.701851217221259]),
    (Op::Skewness, [0.05719819246052755, 1.788773199760935, -0.20779755923535623, 0.12244032324528184]),
    (Op::Kurtosis, [-0.726699490805033, 1.1998546899823168, -1.1609110454178981, -1.170294614374179]),
    (Op::L1, [31.0, 1006.8499999999999, 1.8e-11, 500000007.0]),
    (Op::L2, [13.152946437965905, 1000.0089512099379, 9.380831519646859e-12, 223606800.8804742]),
    (Op::MaxNorm, [9.0, 1000.0, 7.0e-12, 100000005.0]),
    (Op::LogSumExp, [9.01045572898931, 1000.0, 1.6094379124369003, 100000005.14954071]),
    (Op::Product, [-6480.0, -165.37499999999997, -2.0999999999999995e-58, 1.0000000700000005e40]),
    (Op::Dot, [22.0, -4495.040000000001, 5.600000000000001e-23, 5.000000140000003e16]),
    (Op::Covariance, [1.984375, -28657.660069444442, 3.3600000000000015e-24, 4.24]),
    (Op::Correlation, [0.0951310861423221, -0.20652507740146753, 0.3442622950819673, 0.726027397260274]),
    (
        Op::WeightedMean,
        [2.3225806451612905, 0.004926255152207397, 2.6666666666666667e-12, 100000001.40000004],
    ),
];

/// A quantile by linear interpolation.
const QUANTILES: [(f64, [f64; 4]); 3] = [
    (0.1, [-5.3, -1.075, -7.999999999999998e-13, 99999998.8]),
    (0.5, [1.5, 0.5, 3.0e-12, 100000001.0]),
    (0.9, [5.499999999999999, 501.75, 6.2e-12, 100000004.2]),
];

#[test]
fn references_agree_with_numpy() {
    let bytes = |numbers: &[f64]| bytemuck::cast_slice::<_, u8>(numbers).to_vec();
    for (nth, numbers) in NUMBERS.into_iter().enumerate() {
        let check = |what: &dyn Display, got: Option<f64>, expected: [f64; 4]| {
            let (got, expected) = (got.unwrap(), expected[nth]);
            let is_near = (got - expected).abs() <= 1e-12 * expected.abs();
            assert!(is_near, "{what} of {numbers:?}: {got}, in NumPy {expected}");
        };
        let backwards: Vec<f64> = numbers.iter().rev().copied().collect();
        let weights: Vec<f64> = backwards.iter().map(|number| number.abs()).collect();
        for (op, expected) in NUMPY {
            let second = bytes(if op == Op::WeightedMean { &weights } else { &backwards });
            let got = reduce(op, Element::F64, &bytes(numbers), Some(&second)).unwrap().answer;
            check(&op, got.value().map(Value::as_f64), expected);
        }
        for (q, expected) in QUANTILES {
            let got = quantiles(Element::F64, &bytes(numbers), Method::Linear, &[q]);
            check(&q, got.first().map(|got| got.as_f64()), expected);
        }
    }
}

/// Results in which one number is off by a share, or by one if it is a small integer; each number in turn.
fn perturbed(answer: Scalar, by: f64) -> Vec<Scalar> {
    let float = |x: f64| if x == 0.0 || !x.is_finite() { by } else { x + by * x };
    let integer = |x: i128| x + by.signum() as i128 * (x.abs() / 100).max(1);
    let off = |value: Value| match value {
        Value::Unsigned(x) => Value::Unsigned(integer(x.into()) as u64),
        Value::Signed(x) => Value::Signed(integer(x.into()) as i64),
        Value::Wide(x) => Value::Wide(integer(x)),
        Value::F32(x) => Value::F32(float(x.into()) as f32),
        other => Value::F64(float(other.as_f64())),
    };
    match answer {
        Scalar::One(value) => vec![Scalar::One(off(value))],
        Scalar::At { value, index } => {
            vec![Scalar::At { value: off(value), index }, Scalar::At { value, index: index + 1 }]
        }
        Scalar::Range { min, max } => {
            vec![Scalar::Range { min: off(min), max }, Scalar::Range { min, max: off(max) }]
        }
        other => unreachable!("{other} is new"),
    }
}

#[test]
fn results_off_by_one_per_cent_are_not_right() {
    const LEN: u32 = 1000;
    // Quantiles of the exponential distribution, which has the mean 1 and the skewness 2, in two orders that correlate.
    let quantile = |i: u32| -((f64::from(i % LEN) + 0.5) / f64::from(LEN)).ln();
    let first: Vec<f64> = (0..LEN).map(|i| quantile(7 * i)).collect();
    let second: Vec<f64> = (0..LEN).map(|i| quantile(7 * i) + quantile(11 * i)).collect();
    let scales: [(Element, &[f64]); 7] = [
        (Element::F16, &[1.0, 1e-2]),
        (Element::F32, &[1.0, 1e-31, 1e-17, 1e-12, 1e12, 1e18, 1e36]),
        (Element::F64, &[1.0, 1e-300, 1e-110, 1e110, 1e305]),
        (Element::U32, &[1e3]),
        (Element::I32, &[1e3]),
        (Element::U64, &[1e3]),
        (Element::I64, &[1e3]),
    ];
    assert_eq!(scales.len(), Element::ALL.len());
    let cases =
        scales.into_iter().flat_map(|(element, scales)| scales.iter().map(move |scale| (element, scale)));
    for ((element, scale), offset) in cases.flat_map(|case| [0.0, 3.0, 100.0].map(|offset| (case, offset))) {
        let bytes = |items: &[f64]| encode(element, items.iter().map(|item| scale * (item + offset)));
        let (first, second) = (bytes(&first), bytes(&second));
        for &op in Op::ALL.iter().filter(|op| op.is_over(element)) {
            let expected = reduce(op, element, &first, Some(&second)).unwrap();
            for got in [0.01, -0.01].into_iter().flat_map(|by| perturbed(expected.answer, by)) {
                let case = format!("{op} of {element} around {offset} in units of {scale}");
                let is_right = expected.judge(got, 16) == Verdict::Right;
                assert!(!is_right, "{case}: {got} for {}", expected.answer);
            }
        }
    }
}
