//! Tests of the list, and of the references that cases take their results from.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use half::f16;
use halofold::ladder::RUNGS;
use halofold::reduce::reference::{Verdict, reduce};
use halofold::reduce::{Op, Scalar};
use halofold::stencil::STENCILS;
use halofold::{Element, Value, rank};

use crate::parts;

/// The types of the library that make kernels for a device: what has a function `on` or `new` that takes one.
fn operations() -> BTreeSet<String> {
    let sources = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../src"));
    let mut folders = vec![sources.to_owned()];
    let mut found = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(path).unwrap();
            let mut owner = String::new();
            for line in text.lines() {
                if let Some(name) = line.strip_prefix("impl ").and_then(|rest| rest.split_once(" {")) {
                    owner = name.0.to_owned();
                }
                let is_constructor = line.starts_with("    pub fn new(device: &Device")
                    || line.starts_with("    pub fn on(self, device: &Device");
                if is_constructor {
                    found.insert(owner.clone());
                }
            }
        }
    }
    // Memory of a reducer, which every case of one has.
    found.remove("Workspace");
    found
}

#[test]
fn every_operation_operator_and_type_has_a_case() {
    let cases: Vec<_> = parts("").into_iter().flat_map(|part| part.cases).collect();
    let names: BTreeSet<_> = cases.iter().map(|case| &*case.name).collect();
    assert_eq!(names.len(), cases.len(), "a name is there twice");
    let tested: BTreeSet<_> = cases.iter().map(|case| case.operation.to_owned()).collect();
    assert_eq!(tested, operations());
    for op in Op::ALL {
        for element in Element::ALL.into_iter().filter(|element| op.is_over(*element)) {
            let start = format!("Reduced {{ op: {op:?}, element: {element:?}, ");
            assert!(names.iter().any(|name| name.starts_with(&start)), "{op} of {element}");
        }
    }
    for rung in RUNGS {
        assert!(names.contains(&*format!("sum, by {}", rung.name())), "{}", rung.name());
    }
    for variant in STENCILS.iter().flat_map(|stencil| stencil.variants().filter(|it| !it.is_blocked())) {
        assert!(
            names.iter().any(|name| name.contains(&format!(" by {}, ", variant.name))),
            "{}",
            variant.name
        );
    }
}

/// Numbers, and what NumPy computes of them in 64 bits; of two inputs where the second is the first backwards, and the weights its
/// magnitudes. Skewness and kurtosis are SciPy's, by their definition. Of numbers around 10^8, where NumPy loses digits, the values are those of
/// whole fractions, rounded once.
struct Computed {
    numbers: &'static [f64],
    results: &'static [(Op, f64)],
    /// The 0.1, 0.5 and 0.9 quantile, by linear interpolation.
    quantiles: [f64; 3],
}

const NUMPY: [Computed; 4] = [
    Computed {
        numbers: &[3.0, -1.0, 4.0, 1.0, -5.0, 9.0, 2.0, -6.0],
        results: &[
            (Op::Sum, 7.0),
            (Op::Mean, 0.875),
            (Op::Variance, 20.859375),
            (Op::SampleVariance, 23.839285714285715),
            (Op::Deviation, 4.567206476611277),
            (Op::SampleDeviation, 4.882549100038393),
            (Op::Skewness, 0.05719819246052755),
            (Op::Kurtosis, -0.726699490805033),
            (Op::L1, 31.0),
            (Op::L2, 13.152946437965905),
            (Op::MaxNorm, 9.0),
            (Op::LogSumExp, 9.01045572898931),
            (Op::Product, -6480.0),
            (Op::Dot, 22.0),
            (Op::Covariance, 1.984375),
            (Op::Correlation, 0.0951310861423221),
            (Op::WeightedMean, 2.3225806451612905),
        ],
        quantiles: [-5.3, 1.5, 5.499999999999999],
    },
    Computed {
        numbers: &[0.1, 0.7, -2.25, 1000.0, 3.5, 0.3],
        results: &[
            (Op::Sum, 1002.3499999999999),
            (Op::Mean, 167.0583333333333),
            (Op::Variance, 138761.16368055556),
            (Op::SampleVariance, 166513.39641666666),
            (Op::Deviation, 372.50659548598003),
            (Op::SampleDeviation, 408.06053033424666),
            (Op::Skewness, 1.788773199760935),
            (Op::Kurtosis, 1.1998546899823168),
            (Op::L1, 1006.8499999999999),
            (Op::L2, 1000.0089512099379),
            (Op::MaxNorm, 1000.0),
            (Op::LogSumExp, 1000.0),
            (Op::Product, -165.37499999999997),
            (Op::Dot, -4495.040000000001),
            (Op::Covariance, -28657.660069444442),
            (Op::Correlation, -0.20652507740146753),
            (Op::WeightedMean, 0.004926255152207397),
        ],
        quantiles: [-1.075, 0.5, 501.75],
    },
    Computed {
        numbers: &[1.0e-12, 3.0e-12, -2.0e-12, 7.0e-12, 5.0e-12],
        results: &[
            (Op::Sum, 1.4e-11),
            (Op::Mean, 2.8e-12),
            (Op::Variance, 9.76e-24),
            (Op::SampleVariance, 1.22e-23),
            (Op::Deviation, 3.124099870362662e-12),
            (Op::SampleDeviation, 3.4928498393145963e-12),
            (Op::Skewness, -0.20779755923535623),
            (Op::Kurtosis, -1.1609110454178981),
            (Op::L1, 1.8e-11),
            (Op::L2, 9.380831519646859e-12),
            (Op::MaxNorm, 7.0e-12),
            (Op::LogSumExp, 1.6094379124369003),
            (Op::Product, -2.0999999999999995e-58),
            (Op::Dot, 5.600000000000001e-23),
            (Op::Covariance, 3.3600000000000015e-24),
            (Op::Correlation, 0.3442622950819673),
            (Op::WeightedMean, 2.6666666666666667e-12),
        ],
        quantiles: [-7.999999999999998e-13, 3.0e-12, 6.2e-12],
    },
    Computed {
        numbers: &[100000001.0, 99999998.0, 100000005.0, 100000000.0, 100000003.0],
        results: &[
            (Op::Sum, 500000007.0),
            (Op::Mean, 100000001.4),
            (Op::Variance, 5.84),
            (Op::SampleVariance, 7.3),
            (Op::Deviation, 2.4166091947189146),
            (Op::SampleDeviation, 2.701851217221259),
            (Op::Skewness, 0.12244032324528184),
            (Op::Kurtosis, -1.170294614374179),
            (Op::L1, 500000007.0),
            (Op::L2, 223606800.8804742),
            (Op::MaxNorm, 100000005.0),
            (Op::LogSumExp, 100000005.14954071),
            (Op::Product, 1.0000000700000005e40),
            (Op::Dot, 5.000000140000003e16),
            (Op::Covariance, 4.24),
            (Op::Correlation, 0.726027397260274),
            (Op::WeightedMean, 100000001.40000004),
        ],
        quantiles: [99999998.8, 100000001.0, 100000004.2],
    },
];

#[test]
fn references_agree_with_numpy() {
    let near = |got: f64, expected: f64| (got - expected).abs() <= 1e-12 * expected.abs();
    let bytes = |numbers: &[f64]| numbers.iter().flat_map(|number| number.to_ne_bytes()).collect::<Vec<_>>();
    for Computed { numbers, results, quantiles } in &NUMPY {
        let backwards: Vec<f64> = numbers.iter().rev().copied().collect();
        let weights: Vec<f64> = backwards.iter().map(|number| number.abs()).collect();
        for (op, expected) in *results {
            let second = if *op == Op::WeightedMean { &weights } else { &backwards };
            let got = reduce(*op, Element::F64, &bytes(numbers), Some(&bytes(second))).unwrap().answer;
            let got = got.value().unwrap().as_f64();
            assert!(near(got, *expected), "{op} of {numbers:?}: {got}, in NumPy {expected}");
        }
        let method = rank::Method::Linear;
        let got = rank::reference::quantiles(Element::F64, &bytes(numbers), method, &[0.1, 0.5, 0.9]);
        for (got, expected) in got.into_iter().zip(quantiles) {
            assert!(near(got.as_f64(), *expected), "a quantile of {numbers:?}: {got}, in NumPy {expected}");
        }
    }
}

/// Results in which one number is off by one per cent, or by one if it is a small integer; each number in turn.
fn perturbed(answer: Scalar, by: f64) -> Vec<Scalar> {
    let float = |x: f64| if x == 0.0 || !x.is_finite() { by } else { x + by * x };
    let integer = |x: i128| x + if by > 0.0 { (x.abs() / 100).max(1) } else { -(x.abs() / 100).max(1) };
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

/// An element near a number.
fn element_of(element: Element, number: f64) -> Vec<u8> {
    match element {
        Element::F16 => f16::from_f64(number).to_ne_bytes().to_vec(),
        Element::F32 => (number as f32).to_ne_bytes().to_vec(),
        Element::F64 => number.to_ne_bytes().to_vec(),
        Element::U32 | Element::I32 => (number as i32).to_ne_bytes().to_vec(),
        _ => (number as i64).to_ne_bytes().to_vec(),
    }
}

#[test]
fn results_off_by_one_per_cent_are_not_right() {
    const LEN: u32 = 1000;
    // Quantiles of the exponential distribution, which has the mean 1 and the skewness 2, in two orders that correlate.
    let quantile = |i: u32| -((f64::from(i % LEN) + 0.5) / f64::from(LEN)).ln();
    let first: Vec<f64> = (0..LEN).map(|i| quantile(7 * i)).collect();
    let second: Vec<f64> = (0..LEN).map(|i| quantile(7 * i) + quantile(11 * i)).collect();
    for element in Element::ALL {
        let scales: &[f64] = match element {
            Element::F16 => &[1.0, 1e-2],
            Element::F32 => &[1.0, 1e-31, 1e-17, 1e-12, 1e12, 1e18, 1e36],
            Element::F64 => &[1.0, 1e-300, 1e-110, 1e110, 1e305],
            _ => &[1e3],
        };
        let cases = scales.iter().flat_map(|scale| [0.0, 3.0, 100.0].map(|offset| (scale, offset)));
        for (scale, offset) in cases {
            let bytes = |items: &[f64]| -> Vec<u8> {
                items.iter().flat_map(|item| element_of(element, scale * (item + offset))).collect()
            };
            let (first, second) = (bytes(&first), bytes(&second));
            for &op in Op::ALL.iter().filter(|op| op.is_over(element)) {
                let expected = reduce(op, element, &first, Some(&second)).unwrap();
                for got in [0.01, -0.01].into_iter().flat_map(|by| perturbed(expected.answer, by)) {
                    let case = format!("{op} of {element} around {offset} in units of {scale}");
                    assert_ne!(
                        expected.judge(got, 16),
                        Verdict::Right,
                        "{case}: {got} for {}",
                        expected.answer
                    );
                }
            }
        }
    }
}
