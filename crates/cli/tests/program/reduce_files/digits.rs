//! Digits of variances, deviations and norms of elements that lie far from zero, against sums of whole numbers.

use halofold::Element;

use super::lacking;
use super::numbers::plain;
use crate::files::{Folder, dtype, npy, reduce as run, rows};
use crate::number::Number;

/// Elements `far` + k · `unit`, for whole numbers k.
struct Case {
    element: Element,
    far: f64,
    unit: f64,
}

const CASES: [Case; 6] = [
    // Units in the last place: nothing is rounded when the elements are made.
    Case { element: Element::F32, far: 4096.0, unit: 1.0 / 2048.0 },
    Case { element: Element::F64, far: 1e14, unit: 1.0 / 64.0 },
    Case { element: Element::I64, far: 1e17, unit: 1.0 },
    Case { element: Element::U64, far: 9_223_372_036_854_775_808.0, unit: 1.0 },
    Case { element: Element::I32, far: -1_073_741_824.0, unit: 1.0 },
    Case { element: Element::U32, far: 4_000_000_000.0, unit: 1.0 },
];

fn steps() -> Vec<i128> {
    (0..24_000i128).map(|i| i * i * 7919 % 201 - 100).collect()
}

impl Case {
    fn bytes(&self, steps: &[i128]) -> Vec<u8> {
        let number = |step: &i128| {
            if self.element.is_float() {
                Number::Float(self.far + *step as f64 * self.unit)
            } else {
                Number::Integer(self.far as i128 + step)
            }
        };
        steps.iter().flat_map(|step| number(step).bytes(self.element)).collect()
    }

    /// The variance, the sample deviation and the L2 norm: from sums that 128 bits hold.
    fn expected(&self, steps: &[i128]) -> [f64; 3] {
        let n = steps.len() as i128;
        let (sum, squares) = steps.iter().fold((0, 0), |(sum, squares), k| (sum + k, squares + k * k));
        let around = (n * squares - sum * sum) as f64 * self.unit * self.unit;
        let far = (self.far / self.unit) as i128;
        let norm = (n * far * far + 2 * far * sum + squares) as f64;
        let n = n as f64;
        [around / (n * n), (around / (n * (n - 1.0))).sqrt(), norm.sqrt() * self.unit]
    }

    fn check(&self, got: f64, expected: f64, what: &str) {
        if self.element == Element::F32 {
            assert_eq!(got, f64::from(expected as f32), "{what}");
        } else {
            // Squares are added up one after the other, each time rounded.
            let error = (got / expected - 1.0).abs();
            assert!(error <= 100.0 * f64::EPSILON, "{what}: {got}, expected {expected}");
        }
    }
}

#[test]
fn a_large_mean_costs_no_digits() {
    let folder = Folder::new("reduce-digits");
    let steps = steps();
    for case in &CASES {
        let element = case.element;
        if !lacking("max", element).is_empty() || !lacking("sum", element).is_empty() {
            continue;
        }
        // Squares of 64 bits are added in 64 bits: the norm has fewer digits.
        let wanted = if element.size() == 4 { 3 } else { 2 };
        let file = folder.write(&format!("{element}.bin"), &case.bytes(&steps));
        for piece in ["24008", "1000000"] {
            let ops = "variance,sample-std,l2";
            let args = [&file, "--raw", element.name(), "--op", ops, "--json", "--piece", piece, "--verify"];
            for (row, expected) in rows(&run(&args)).iter().zip(case.expected(&steps)).take(wanted) {
                let what = format!("{} of {element}, pieces of {piece}", row["op"]);
                case.check(row["value"].as_f64().unwrap(), expected, &what);
            }
        }
        let kind = format!("<{}", dtype(element));
        let array = folder.write("array.npy", &npy(&kind, false, &[8000, 3], &case.bytes(&steps)));
        for piece in ["24000", "1000000"] {
            let args = [&array, "--op", "variance,sample-std", "--axis", "0", "--json", "--piece", piece];
            // Exact states of lines as short as these have to be asked for.
            let exact: &[&str] = if element == Element::F32 { &["--exact"] } else { &[] };
            for (number, row) in rows(&run(&[&args[..], exact].concat())).iter().enumerate() {
                for (column, got) in row["value"].as_array().unwrap().iter().enumerate() {
                    let steps: Vec<_> = steps.iter().copied().skip(column).step_by(3).collect();
                    let what = format!("{} of column {column} of {element}, pieces of {piece}", row["op"]);
                    case.check(got.as_f64().unwrap(), case.expected(&steps)[number], &what);
                }
            }
        }
    }
}

#[test]
fn infinite_and_undefined_elements_have_no_variance() {
    let folder = Folder::new("reduce-no-variance");
    for element in [Element::F32, Element::F64] {
        for special in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let numbers = [1.0, special, 3.0].map(Number::Float);
            let file = folder.write("a.npy", &plain(element, &numbers));
            for piece in ["8", "1000"] {
                if !lacking("sum", element).is_empty() {
                    continue;
                }
                let args = [&file, "--op", "variance,std", "--json", "--piece", piece];
                for row in rows(&run(&args)) {
                    assert_eq!(row["value"], "NaN", "{element} with {special} in pieces of {piece}");
                }
            }
        }
    }
}
