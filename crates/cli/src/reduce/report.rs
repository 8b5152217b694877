//! Prints the results as text or JSON.

use std::path::Path;

use comfy_table::CellAlignment;
use halofold::Value;
use halofold::reduce::Scalar;
use serde::{Serialize, Serializer};

use super::check::Check;
use super::layout::Layout;
use super::number_format::NumberFormat;
use super::results::{Results, Tree};
use super::totals::OperatorResults;
use super::{ReduceArgs, lines, op};
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
    /// The quantile, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<f64>,
    /// The label of the elements, if they are a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Cell>,
    /// The type of the file's elements.
    #[serde(rename = "type")]
    pub element: &'static str,
    /// The number of elements.
    pub n: u64,
    /// Those of them that were left out, if some were to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
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
        let have_places = total.op.is_some_and(op::is_search) || total.results.have_places();
        let places = nested.as_ref().filter(|_| have_places).map(|nested| nested.tree(place));
        let bits = nested.as_ref().filter(|_| total.is_exact);
        let is_truth = total.results.are_truths();
        Row {
            file: file.to_owned(),
            op: total.results.name().to_owned(),
            q: None,
            key: None,
            element: stored.name(),
            n,
            skipped: total.skipped,
            value: nested.as_ref().map(|nested| nested.tree(|answer| Cell { answer, is_truth })),
            bits: bits.map(|nested| nested.tree(bits_of)),
            index: places,
            gpu_ms: total.gpu_ms,
            wall_ms: 0.0,
            adapter: None,
            array,
            check: total.check.clone(),
        }
    }
}

/// The results as text, or their number and shape if they are many or an array in a file.
fn text_of(row: &Row, format: Option<NumberFormat>) -> String {
    match (&row.array, &row.value) {
        (Some(Array { shape, dtype, output: Some(output), .. }), _) => {
            format!("{shape:?} {dtype} in {output}")
        }
        (_, Some(values)) => values.text(&|cell| cell.text(format)),
        (Some(Array { shape, dtype, .. }), None) => format!("{shape:?} {dtype}"),
        (None, None) => String::new(),
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
            Some(Scalar::Range { .. }) => serializer.collect_seq(self.numbers()),
            _ => serializer.serialize_none(),
        }
    }
}

impl Cell {
    /// An answer, which may be true or false.
    pub fn new(answer: Option<Scalar>, is_truth: bool) -> Self {
        Cell { answer, is_truth }
    }

    /// Its numbers: of a range two.
    pub fn numbers(self) -> Vec<Cell> {
        match self.answer {
            Some(Scalar::Range { min, max }) => {
                [min, max].map(|value| Cell { answer: Some(Scalar::One(value)), is_truth: false }).into()
            }
            _ => vec![self],
        }
    }

    /// Its value as text: in a format, or true or false, or with the fewest digits.
    pub fn number(self, format: Option<NumberFormat>) -> Option<String> {
        let value = self.answer?.value()?;
        Some(match format {
            Some(format) => format.text(value),
            None if self.is_truth => (value.as_f64() != 0.0).to_string(),
            None => shortest(value),
        })
    }

    /// Its numbers and its place as text.
    fn text(self, format: Option<NumberFormat>) -> String {
        let number = |cell: Cell| cell.number(format).unwrap_or("-".to_owned());
        let numbers: Vec<_> = self.numbers().into_iter().map(number).collect();
        let text = numbers.join(" … ");
        place(self.answer).map_or(text.clone(), |index| format!("{text} at {index}"))
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
pub fn deliver(rows: &[Row], args: &ReduceArgs) -> Result<(), Failure> {
    let lines = || rows.iter().flat_map(|row| lines::of(row, args.format)).collect::<Vec<_>>();
    let written = match rows {
        [] => Ok(()),
        _ if args.csv => output::csv(&lines()).and_then(|text| output::print(&text)),
        _ if args.quiet && args.output.is_some() => Ok(()),
        _ if args.quiet => {
            output::print(&lines().iter().map(|line| line.number() + "\n").collect::<String>())
        }
        _ => output::print_rows(rows, args.json, |rows| text(rows, args.format, args.exact || args.merge)),
    };
    judged(rows).and(written)
}

/// Prints a row of results that are in a file, unless it is not wanted, and reports them if they are wrong.
pub fn deliver_array(row: Row, json: bool, quiet: bool) -> Result<(), Failure> {
    let rows = [row];
    let printed = if quiet { &[] } else { &rows[..] };
    let written = output::print_rows(printed, json, |rows| text(rows, None, false));
    judged(&rows).and(written)
}

/// Reports the wrong rows on standard error, whether or not they could be written.
fn judged(rows: &[Row]) -> Result<(), Failure> {
    let mut wrong = false;
    for row in rows {
        if let Check::Wrong(mismatch) = &row.check {
            eprintln!("error: {}: {}: {mismatch}", row.file, row.op);
            wrong = true;
        }
    }
    if wrong { Err(Failure::Wrong) } else { Ok(()) }
}

/// One line a row: file, operator, type, number of elements, value, its bits if they are wanted, and the CPU's verdict if there is one.
fn text(rows: &[Row], format: Option<NumberFormat>, with_bits: bool) -> String {
    let mut table = table::plain();
    for row in rows {
        let Row { file, op, element, n, bits, array, .. } = row;
        let op = row.q.map_or_else(|| op.clone(), |q| format!("{op} {q}"));
        let is_in_file = array.as_ref().is_some_and(|array| array.output.is_some());
        let bits = bits.as_ref().filter(|_| with_bits && !is_in_file);
        let mut cells = vec![visible(file, &[]), visible(&op, &[]), (*element).to_owned(), n.to_string()];
        cells.extend(row.key.map(|key| format!("key {}", key.text(None))));
        cells.push(text_of(row, format));
        cells.extend(bits.map(|bits| bits.text(&|bits| bits.clone().unwrap_or("-".to_owned()))));
        cells.extend(row.skipped.map(|skipped| format!("{skipped} skipped")));
        cells.extend(Some(row.check.name().to_owned()).filter(|name| !name.is_empty()));
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
            q: None,
            key: None,
            element: "f32",
            n: 12,
            skipped: None,
            array: None,
            value: Some(Tree::Leaf(Cell { answer: value.map(Scalar::One), is_truth: false })),
            bits: None,
            index: None,
            gpu_ms: Some(0.5),
            wall_ms: 2.0,
            adapter: Some("some GPU".to_owned()),
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
            text(&rows, None, false),
            "a b.npy  sum  f32  12  -      verified\na b.npy  sum  f32   1  1e-30  undecided\n"
        );
    }

    #[test]
    fn ranges_and_positions_print_both_parts() {
        let [low, high] = [-1.5, 2.0].map(Value::F32);
        assert_eq!(cell(Scalar::Range { min: low, max: high }).text(None), "-1.5 … 2.0");
        assert_eq!(cell(Scalar::At { value: low, index: 7 }).text(None), "-1.5 at 7");
        let truth = Cell { is_truth: true, ..cell(Scalar::One(Value::Unsigned(1))) };
        assert_eq!(truth.text(None), "true");
        assert_eq!(truth.text("%.1f".parse().ok()), "1.0");
    }
}
