//! Writes what `scripts/test-js` runs, with the results that the CPU expects: `rows.json`, whose ranges `[offset, size]` are of `rows.bin`.

mod groups;
mod others;
mod ranks;
mod reductions;
mod scans;

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use halofold::reduce::Scalar;
use halofold::reduce::reference::{Expected, Verdict};
use halofold::{Element, Value as Number};
use halofold_cases::encode;
use serde_json::{Map, Value, json};

/// The types of elements that every device has.
const TYPES: [Element; 3] = [Element::U32, Element::I32, Element::F32];

/// Around workgroups, subgroups and tiles.
const LENS: [usize; 9] = [0, 1, 2, 255, 257, 4095, 4096, 4097, 100_003];

const SUM: &str = "fn identity() -> Acc { return 0u; }
    fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
    fn finish(acc: Acc, n: u32) -> Acc { return acc; }";

/// The least and the greatest value that is right: both are the same if only one is.
type Range = (Number, Number);

#[derive(Default)]
struct Rows {
    rows: Vec<Value>,
    bytes: Vec<u8>,
    known: HashMap<Vec<u8>, usize>,
}

impl Rows {
    /// The range of bytes in `rows.bin`. Equal ones are stored once.
    fn store(&mut self, bytes: Vec<u8>) -> Value {
        let size = bytes.len();
        let at = *self.known.entry(bytes).or_insert_with_key(|bytes| {
            self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
            self.bytes.extend(bytes);
            self.bytes.len() - size
        });
        json!([at, size])
    }

    /// Adds a row. `more` has `len`, the `count` in a buffer, or what the output holds `before`.
    fn add(
        &mut self,
        operation: Value,
        inputs: &[(&str, &[u8])],
        outputs: &[(&str, Vec<Range>)],
        more: Value,
    ) {
        let stored = inputs.iter().map(|(name, bytes)| (name.to_string(), self.store(bytes.to_vec())));
        let inputs: Map<_, _> = stored.collect();
        let outputs: Map<_, _> =
            outputs.iter().map(|(name, ranges)| (name.to_string(), self.ranges(ranges))).collect();
        let mut row = json!({ "operation": operation, "inputs": inputs, "outputs": outputs });
        row.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        self.rows.push(row);
    }

    /// Numbers of 64 bits: integers, or floats if one of them is.
    fn ranges(&mut self, ranges: &[Range]) -> Value {
        let is_integer = |number: &Number| matches!(number, Number::Unsigned(_) | Number::Signed(_));
        let are_integers = ranges.iter().all(|(low, _)| is_integer(low));
        let bytes = |number: Number| match number {
            Number::Unsigned(x) if are_integers => x.to_le_bytes(),
            Number::Signed(x) if are_integers => x.to_le_bytes(),
            number => number.as_f64().to_le_bytes(),
        };
        let low = self.store(ranges.iter().flat_map(|range| bytes(range.0)).collect());
        let high = self.store(ranges.iter().flat_map(|range| bytes(range.1)).collect());
        json!({ "are": if are_integers { "integers" } else { "floats" }, "low": low, "high": high })
    }
}

/// Words that are right as they are.
fn words(words: impl IntoIterator<Item = u32>) -> Vec<Range> {
    numbers(words.into_iter().map(|word| Number::Unsigned(word.into())))
}

fn numbers(numbers: impl IntoIterator<Item = Number>) -> Vec<Range> {
    numbers.into_iter().map(|number| (number, number)).collect()
}

/// The numbers of a result, each with what else is within the bound.
fn ranges(expected: Expected, depth: u64) -> Vec<Range> {
    let one = match expected.answer {
        Scalar::One(one) => one,
        Scalar::Range { min, max } => return numbers([min, max]),
        Scalar::At { value, index } => return numbers([value, Number::Unsigned(index)]),
        other => panic!("{other}"),
    };
    let is_right = |x: f32| expected.judge(Scalar::One(Number::F32(x)), depth) == Verdict::Right;
    let Number::F32(middle) = one else { return numbers([one]) };
    assert!(is_right(middle), "{expected:?} is undecided");
    if middle.is_nan() {
        return numbers([one]);
    }
    // Integers in the order of floats: halves the distance to the last float that is right.
    let flip = |bits: i32| bits ^ if bits < 0 { i32::MAX } else { 0 };
    let last = |towards: f32| {
        let [mut right, mut wrong] = [middle, towards].map(|x| i64::from(flip(x.to_bits().cast_signed())));
        if is_right(towards) {
            return Number::F32(towards);
        }
        while right.abs_diff(wrong) > 1 {
            let half = (right + wrong).div_euclid(2);
            let is_right = is_right(f32::from_bits(flip(half as i32).cast_unsigned()));
            *(if is_right { &mut right } else { &mut wrong }) = half;
        }
        Number::F32(f32::from_bits(flip(right as i32).cast_unsigned()))
    };
    vec![(last(f32::NEG_INFINITY), last(f32::INFINITY))]
}

fn merged(mut one: Value, other: Value) -> Value {
    one.as_object_mut().expect("an object").extend(other.as_object().expect("an object").clone());
    one
}

/// Elements with many equal ones.
fn elements(ty: Element, len: usize) -> Vec<u8> {
    encode(
        ty,
        (0..len as u32).map(|i| {
            f64::from(i.wrapping_mul(2_654_435_761) >> 21) - if ty == Element::U32 { 0.0 } else { 1000.0 }
        }),
    )
}

/// Rows or segments: the settings, and the elements of each.
fn cuts(len: usize) -> Vec<(Value, Vec<std::ops::Range<usize>>)> {
    let rows = |row: usize| (0..len / row).map(|nth| nth * row..(nth + 1) * row).collect();
    let ends = [0, len / 7, len / 7, len / 2, len];
    let whole = 0..len;
    vec![
        (json!({}), vec![whole]),
        (json!({ "rows": len / 10 }), rows(len / 10)),
        (json!({ "offsets": ends }), ends.windows(2).map(|ends| ends[0]..ends[1]).collect()),
    ]
}

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder"));
    let mut rows = Rows::default();
    for add in [
        reductions::reductions,
        ranks::ranks,
        reductions::histograms,
        groups::grouped,
        groups::runs,
        scans::scans,
        scans::selections,
        others::own_operators,
        others::stencils,
        others::errors,
    ] {
        add(&mut rows);
    }
    fs::write(folder.join("rows.bin"), &rows.bytes).expect("a folder that can be written");
    fs::write(folder.join("rows.json"), json!(rows.rows).to_string()).expect("a folder that can be written");
}
