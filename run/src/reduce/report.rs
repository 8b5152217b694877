//! Prints the results as text or JSON.

use std::fmt;
use std::path::Path;

use comfy_table::CellAlignment;
use halofold::Value;
use halofold::reduce::Scalar;
use serde::{Serialize, Serializer};

use super::check::Check;
use super::layout::Layout;
use super::op;
use super::results::{Results, Tree};
use super::totals::OperatorResults;
use crate::failure::Failure;
use crate::files::Stored;
use crate::output::{self, visible};
use crate::table;

/// The result of one operator over one file, or over merged states. Its fields, in their order, are the keys in JSON.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The file, as the command line names it.
    pub file: String,
    /// The operator.
    pub op: String,
    /// The type of the file's elements.
    #[serde(rename = "type")]
    pub element: &'static str,
    /// The number of elements.
    pub n: u64,
    /// The results along an axis, in place of one value.
    #[serde(flatten)]
    pub array: Option<Array>,
    /// The result, or nested lists of few results; none for the minimum, maximum or mean of no elements.
    pub value: Option<Tree<Cell>>,
    /// The bits of floats that were rounded only at the end, in hexadecimal digits.
    pub bits: Option<Tree<Option<String>>>,
    /// The index in the file or along the axis, for operators that look for something.
    pub index: Option<Tree<Option<u64>>>,
    /// Time on the GPU, all pieces together.
    pub gpu_ms: Option<f64>,
    /// From opening the file to the value.
    pub wall_ms: f64,
    /// The adapter's name; none where states were merged.
    pub adapter: Option<String>,
    /// The result as text, and its bits.
    #[serde(skip)]
    pub text: [String; 2],
    /// The verdict of the CPU.
    #[serde(skip)]
    pub check: Check,
}

/// The keys of an axis.
#[derive(Clone, Debug, Serialize)]
pub struct Array {
    /// The number of the axis, from 0, or a list of several.
    pub axis: Tree<usize>,
    /// The dimensions of the result.
    pub shape: Vec<u64>,
    /// NumPy's name of its type.
    pub dtype: String,
    /// The file it was written to.
    pub output: Option<String>,
}

impl Array {
    /// Of results along an axis, which may be written to a file; `None` of a single one.
    pub fn of(layout: &Layout, results: &Results, output: Option<&Path>) -> Option<Self> {
        let Layout::Axis(axis) = layout else { return None };
        Some(Array {
            axis: match axis.numbers[..] {
                [number] => Tree::Leaf(number),
                ref numbers => Tree::List(numbers.iter().copied().map(Tree::Leaf).collect()),
            },
            shape: results.shape(),
            dtype: results.dtype(),
            output: output.map(|path| path.display().to_string()),
        })
    }
}

impl Row {
    /// The result of an operator over the `n` elements of a file. Times and adapter are to be set.
    pub fn of(file: &str, stored: Stored, n: u64, total: &OperatorResults, array: Option<Array>) -> Self {
        let nested = total.results.nested();
        let places =
            nested.as_ref().filter(|_| total.op.is_some_and(op::is_search)).map(|nested| nested.tree(place));
        let bits = nested.as_ref().filter(|_| total.is_exact);
        let shown = bits.filter(|_| array.as_ref().is_none_or(|array| array.output.is_none()));
        let is_truth = total.results.are_truths();
        Row {
            file: file.to_owned(),
            op: total.results.name().to_owned(),
            element: stored.name(),
            n,
            value: nested.as_ref().map(|nested| nested.tree(|answer| Cell { answer, is_truth })),
            bits: bits.map(|nested| nested.tree(bits_of)),
            index: places,
            gpu_ms: total.gpu_ms,
            wall_ms: 0.0,
            adapter: None,
            text: [
                text_of(&total.results, array.as_ref()),
                shown.map_or(String::new(), |nested| {
                    nested.text(&|answer| bits_of(answer).unwrap_or("-".to_owned()))
                }),
            ],
            array,
            check: total.check.clone(),
        }
    }
}

/// The results as text, or their number and shape if they are many or an array in a file.
fn text_of(results: &Results, array: Option<&Array>) -> String {
    let is_truth = results.are_truths();
    match (results.nested(), array.and_then(|array| array.output.as_deref())) {
        (_, Some(output)) => format!("{:?} {} in {output}", results.shape(), results.dtype()),
        (Some(nested), None) => nested.text(&|answer| Cell { answer, is_truth }.to_string()),
        (None, None) => format!("{:?} {}", results.shape(), results.dtype()),
    }
}

/// The bits of a float; none where there is none.
fn bits_of(answer: Option<Scalar>) -> Option<String> {
    match answer? {
        Scalar::One(Value::F64(x)) => Some(format!("{:#018x}", x.to_bits())),
        Scalar::One(Value::F32(x)) => Some(format!("{:#010x}", x.to_bits())),
        _ => None,
    }
}

fn place(answer: Option<Scalar>) -> Option<u64> {
    if let Scalar::At { index, .. } = answer? { Some(index) } else { None }
}

/// A result: an answer, which may be true or false. There is none of no elements.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    answer: Option<Scalar>,
    is_truth: bool,
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.answer {
            Some(Scalar::One(value)) if self.is_truth => serializer.serialize_bool(value.as_f64() != 0.0),
            Some(Scalar::One(value) | Scalar::At { value, .. }) => number(value, serializer),
            Some(Scalar::Range { min, max }) => {
                let cell = |value| Cell { answer: Some(Scalar::One(value)), is_truth: false };
                serializer.collect_seq([min, max].map(cell))
            }
            _ => serializer.serialize_none(),
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.answer {
            Some(Scalar::One(value)) if self.is_truth => write!(f, "{}", value.as_f64() != 0.0),
            Some(Scalar::One(value)) => f.write_str(&shortest(value)),
            Some(Scalar::Range { min, max }) => write!(f, "{} … {}", shortest(min), shortest(max)),
            Some(Scalar::At { value, index }) => write!(f, "{} at {index}", shortest(value)),
            _ => f.write_str("-"),
        }
    }
}

/// Writes a value as a JSON number, all digits of it; as a string where JSON has no number for it.
fn number<S: Serializer>(value: Value, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Value::Unsigned(x) => serializer.serialize_u64(x),
        Value::Signed(x) => serializer.serialize_i64(x),
        Value::Wide(x) => serializer.serialize_i128(x),
        // Readers of JSON take numbers for 64-bit floats: digits that are enough for 32 bits would become another value.
        float if float.as_f64().is_finite() => serializer.serialize_f64(float.as_f64()),
        other => serializer.collect_str(&other),
    }
}

/// Writes the rows, and reports the wrong ones on standard error.
pub fn deliver(rows: &[Row], json: bool, with_bits: bool) -> Result<(), Failure> {
    let written = output::print_rows(rows, json, |rows| text(rows, with_bits));
    let mut wrong = false;
    for row in rows {
        if let Check::Wrong(mismatch) = &row.check {
            eprintln!("error: {}: {}: {mismatch}", row.file, row.op);
            wrong = true;
        }
    }
    // Independent of the success of writing the rows.
    if wrong { Err(Failure::Wrong) } else { written }
}

/// One line a row: file, operator, type, number of elements, value, its bits if they are wanted, and the CPU's verdict if there is one.
fn text(rows: &[Row], with_bits: bool) -> String {
    let mut table = table::plain();
    for row in rows {
        let Row { file, op, element, n, text: [value, bits], .. } = row;
        let mut cells =
            vec![visible(file, &[]), visible(op, &[]), (*element).to_owned(), n.to_string(), value.clone()];
        cells.extend(Some(bits).filter(|bits| with_bits && !bits.is_empty()).cloned());
        match row.check {
            Check::Unchecked => {}
            Check::Right => cells.push("verified".to_owned()),
            Check::Undecided => cells.push("undecided".to_owned()),
            Check::Wrong(_) => cells.push("WRONG".to_owned()),
        }
        table.add_row(cells);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index == 3 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}

/// The fewest digits that mean this value and no other.
pub fn shortest(value: Value) -> String {
    match value {
        Value::F32(x) => format!("{x:?}"),
        Value::F64(x) => format!("{x:?}"),
        integer => integer.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(answer: Scalar) -> Cell {
        Cell { answer: Some(answer), is_truth: false }
    }

    fn row(value: Option<Value>) -> Row {
        Row {
            file: "a b.npy".to_owned(),
            op: "sum".to_owned(),
            element: "f32",
            n: 12,
            array: None,
            value: value.map(|value| Tree::Leaf(cell(Scalar::One(value)))),
            bits: None,
            index: None,
            gpu_ms: Some(0.5),
            wall_ms: 2.0,
            adapter: Some("some GPU".to_owned()),
            text: [value.map_or("-".to_owned(), shortest), String::new()],
            check: Check::Right,
        }
    }

    #[test]
    fn json_has_the_keys_in_order_and_numbers_in_full() {
        let json = |value| serde_json::to_string(&row(value)).unwrap();
        assert_eq!(
            json(Some(Value::Unsigned(u64::MAX))),
            r#"{"file":"a b.npy","op":"sum","type":"f32","n":12,"value":18446744073709551615,"#.to_owned()
                + r#""bits":null,"index":null,"gpu_ms":0.5,"wall_ms":2.0,"adapter":"some GPU"}"#
        );
        for (value, text) in [
            (Value::Signed(i64::MIN), "-9223372036854775808"),
            (Value::Wide(-1 << 100), "-1267650600228229401496703205376"),
            (Value::F32(0.1), "0.10000000149011612"),
            (Value::F64(0.1), "0.1"),
            (Value::F64(-0.0), "-0.0"),
            (Value::F32(f32::NAN), "\"NaN\""),
            (Value::F32(f32::INFINITY), "\"inf\""),
            (Value::F64(f64::NEG_INFINITY), "\"-inf\""),
        ] {
            assert!(json(Some(value)).contains(&format!("\"value\":{text},")), "{text}");
        }
        assert!(json(None).contains("\"value\":null,"));
    }

    #[test]
    fn an_axis_has_keys_of_its_own() {
        let array = Array { axis: Tree::Leaf(1), shape: vec![2], dtype: "f4".to_owned(), output: None };
        let lists = Tree::List([1.5, f32::NAN].map(|x| Tree::Leaf(cell(Scalar::One(Value::F32(x))))).into());
        let row = Row { array: Some(array), value: Some(lists), ..row(None) };
        let json = serde_json::to_string(&row).unwrap();
        let keys = r#""n":12,"axis":1,"shape":[2],"dtype":"f4","output":null,"value":[1.5,"NaN"],"bits":null,"index":null,"#;
        assert!(json.contains(keys), "{json}");
    }

    #[test]
    fn text_is_a_line_a_row() {
        let rows = [row(None), Row { n: 1, check: Check::Undecided, ..row(Some(Value::F32(1e-30))) }];
        assert_eq!(
            text(&rows, false),
            "a b.npy  sum  f32  12  -      verified\na b.npy  sum  f32   1  1e-30  undecided\n"
        );
    }

    #[test]
    fn ranges_and_positions_print_both_parts() {
        let [low, high] = [-1.5, 2.0].map(Value::F32);
        assert_eq!(cell(Scalar::Range { min: low, max: high }).to_string(), "-1.5 … 2.0");
        assert_eq!(cell(Scalar::At { value: low, index: 7 }).to_string(), "-1.5 at 7");
        let truth = Cell { is_truth: true, ..cell(Scalar::One(Value::Unsigned(1))) };
        assert_eq!(truth.to_string(), "true");
    }
}
