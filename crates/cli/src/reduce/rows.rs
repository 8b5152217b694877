//! Rows: a result of an operator over a file, as JSON, CSV and text.

use halofold::Value;
use halofold::reduce::Scalar;
use serde::{Serialize, Serializer};
use std::io::IsTerminal as _;

use super::args::ReduceArgs;
use super::results::Results;
use super::tree::Tree;
use super::verify::Check;
use crate::failure::Failure;
use crate::files::Stored;
use crate::output::{self, visible};
use crate::table;

/// The result of one operator over one file. Its fields, in their order, are the keys in JSON.
#[derive(Debug, Serialize)]
pub struct Row {
    pub file: String,
    pub op: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<f64>,
    /// The label of the elements, if they are a group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Cell>,
    #[serde(rename = "type")]
    pub element: &'static str,
    pub n: u64,
    /// Those of them that were left out, if some were to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u64>,
    /// The results along an axis, in place of one value.
    #[serde(flatten)]
    pub array: Option<Array>,
    /// The result, or nested lists of results; none for the minimum, maximum or mean of no elements.
    pub value: Tree<Cell>,
    /// The bits of floats that were rounded only at the end, in hexadecimal digits.
    pub bits: Option<Tree<Option<String>>>,
    /// The index in the file or along the axis, for operators that look for something.
    pub index: Option<Tree<Option<u64>>>,
    pub gpu_ms: Option<f64>,
    pub wall_ms: f64,
    pub adapter: String,
    #[serde(serialize_with = "verdict", skip_serializing_if = "Check::is_unchecked")]
    pub check: Check,
    /// True if the places are the results.
    #[serde(skip)]
    is_search: bool,
}

/// The keys of an axis.
#[derive(Clone, Debug, Serialize)]
pub struct Array {
    /// The number of the axis, from 0, or a list of several.
    pub axis: Tree<usize>,
    pub shape: Vec<u64>,
    pub dtype: String,
    pub output: Option<String>,
}

/// What the rows of a file have in common.
#[derive(Default)]
pub struct OfFile<'a> {
    pub file: &'a str,
    pub element: &'static str,
    pub n: u64,
    /// True if elements were to be left out.
    pub is_left_out: bool,
    pub keys: Option<&'a [Value]>,
    pub axes: Option<&'a [usize]>,
    pub output: Option<String>,
    pub wall_ms: f64,
    pub adapter: &'a str,
}

impl OfFile<'_> {
    /// The row of an array that was written to a file.
    pub fn array_row(&self, op: &str, array: Array, gpu_ms: Option<f64>, check: Check) -> Row {
        Row { array: Some(array), ..self.row(op, gpu_ms, check) }
    }

    /// A row without a value.
    fn row(&self, op: &str, gpu_ms: Option<f64>, check: Check) -> Row {
        Row {
            file: self.file.to_owned(),
            op: op.to_owned(),
            q: None,
            key: None,
            element: self.element,
            n: self.n,
            skipped: None,
            array: None,
            value: Tree::Leaf(Cell { answer: None, is_truth: false }),
            bits: None,
            index: None,
            gpu_ms,
            wall_ms: self.wall_ms,
            adapter: self.adapter.to_owned(),
            check,
            is_search: false,
        }
    }

    /// The rows of an operator's results: one, or one for each group.
    pub fn rows(&self, results: &Results) -> Vec<Row> {
        let groups = self.keys.map_or(1, <[Value]>::len);
        let of_group = results.values.len().checked_div(groups).unwrap_or(0);
        let dims = results.shape.iter().skip(usize::from(self.keys.is_some())).copied();
        let dims: Vec<_> = dims.chain(results.several.map(|several| several as u64)).collect();
        let row = |group: usize| {
            let values = &results.values[group * of_group..][..of_group];
            let key = self.keys.map(|keys| Cell { answer: Some(Scalar::One(keys[group])), is_truth: false });
            let counts = results.counts.len().checked_div(groups).unwrap_or(0);
            let n = match key {
                Some(_) => results.counts[group * counts..][..counts].iter().sum(),
                None => self.n,
            };
            let is_placed = values.iter().flatten().any(|answer| matches!(answer, Scalar::At { .. }));
            let is_truth = results.dtypes == [Stored::Bool];
            let array = self.axes.map(|axes| Array {
                axis: match axes {
                    [number] => Tree::Leaf(*number),
                    numbers => Tree::List(numbers.iter().copied().map(Tree::Leaf).collect()),
                },
                shape: results.dims(),
                dtype: results.dtypes.iter().map(|dtype| dtype.numpy()).collect::<Vec<_>>().join(","),
                output: self.output.clone(),
            });
            Row {
                q: results.q,
                key,
                n,
                skipped: self.is_left_out.then(|| self.n - results.counts.iter().sum::<u64>()),
                array,
                value: Tree::of(&dims, &mut values.iter().map(|answer| Cell { answer: *answer, is_truth })),
                bits: results.is_exact.then(|| Tree::of(&dims, &mut values.iter().copied().map(bits))),
                index: is_placed.then(|| Tree::of(&dims, &mut values.iter().copied().map(place))),
                is_search: is_placed && results.several.is_none(),
                ..self.row(&results.name, results.gpu_ms, results.check.clone())
            }
        };
        (0..groups).map(row).collect()
    }
}

/// The bits of a float; none where there is none.
fn bits(answer: Option<Scalar>) -> Option<String> {
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
    /// Its numbers: of a range two.
    fn numbers(self) -> Vec<Cell> {
        match self.answer {
            Some(Scalar::Range { min, max }) => {
                [min, max].map(|value| Cell { answer: Some(Scalar::One(value)), is_truth: false }).into()
            }
            _ => vec![self],
        }
    }

    /// Its value as text: true or false, or with the fewest digits.
    fn number(self) -> Option<String> {
        let value = self.answer?.value()?;
        Some(if self.is_truth { (value.as_f64() != 0.0).to_string() } else { shortest(value) })
    }

    /// Its numbers and its place as text.
    fn text(self) -> String {
        let number = |cell: Cell| cell.number().unwrap_or("-".to_owned());
        let numbers: Vec<_> = self.numbers().into_iter().map(number).collect();
        let text = numbers.join(" … ");
        place(self.answer).map_or(text.clone(), |index| format!("{text} at {index}"))
    }
}

fn verdict<S: Serializer>(check: &Check, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(check.name())
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

/// The fewest digits that mean this value and no other.
fn shortest(value: Value) -> String {
    match value {
        Value::F32(x) => format!("{x:?}"),
        Value::F64(x) => format!("{x:?}"),
        integer => integer.to_string(),
    }
}

/// A number of a result. Its fields, in their order, are the columns of CSV.
#[derive(Debug, Serialize)]
struct Line<'a> {
    file: &'a str,
    op: &'a str,
    q: Option<f64>,
    key: Option<String>,
    #[serde(rename = "type")]
    element: &'a str,
    n: u64,
    skipped: Option<u64>,
    /// Its place in the array that `-o` writes, as `2,0`; none of a single number.
    place: String,
    value: Option<String>,
    index: Option<u64>,
    bits: Option<&'a str>,
    check: &'static str,
    gpu_ms: Option<f64>,
    wall_ms: f64,
    adapter: &'a str,
}

/// The numbers of a row in C order.
fn lines(row: &Row) -> Vec<Line<'_>> {
    let indices = row.index.as_ref().map(Tree::leaves).unwrap_or_default();
    let bits = row.bits.as_ref().map(Tree::leaves).unwrap_or_default();
    let mut lines = Vec::new();
    for (number, (place, cell)) in row.value.leaves().into_iter().enumerate() {
        let numbers = cell.numbers();
        let is_range = numbers.len() > 1;
        for (half, cell) in numbers.into_iter().enumerate() {
            let place = place.iter().copied().chain(is_range.then_some(half));
            lines.push(Line {
                file: &row.file,
                op: &row.op,
                q: row.q,
                key: row.key.and_then(Cell::number),
                element: row.element,
                n: row.n,
                skipped: row.skipped,
                place: place.map(|at| at.to_string()).collect::<Vec<_>>().join(","),
                value: cell.number(),
                index: indices.get(number).and_then(|(_, index)| **index),
                bits: bits.get(number).and_then(|(_, bits)| bits.as_deref()),
                check: row.check.name(),
                gpu_ms: row.gpu_ms,
                wall_ms: row.wall_ms,
                adapter: &row.adapter,
            });
        }
    }
    lines
}

/// The number by itself: what `-o` would write, where a search found something the index.
fn bare(row: &Row, line: &Line<'_>) -> String {
    let index = line.index.filter(|_| row.is_search);
    let value = || line.value.clone().unwrap_or("-".to_owned());
    index.map_or_else(value, |index| index.to_string()) + "\n"
}

/// Writes the rows, and reports the wrong ones on standard error.
pub fn deliver(rows: &[Row], args: &ReduceArgs) -> Result<(), Failure> {
    let written = match rows {
        [] => Ok(()),
        _ if args.csv => output::csv(&rows.iter().flat_map(lines).collect::<Vec<_>>())
            .and_then(|text| output::print(&text)),
        _ if args.quiet && args.output.is_some() => Ok(()),
        _ if args.quiet => {
            let text = rows.iter().flat_map(|row| lines(row).into_iter().map(|line| bare(row, &line)));
            output::print(&text.collect::<String>())
        }
        _ => output::print_table(rows, args.json, false, || text(rows, args.exact)),
    };
    judged(rows).and(written)
}

/// Prints a row of results that are in a file, unless it is `quiet`, and reports them if they are wrong.
pub fn deliver_array(row: Row, json: bool, quiet: bool) -> Result<(), Failure> {
    let rows = [row];
    let print = || output::print_table(&rows, json, false, || text(&rows, false));
    let written = if quiet { Ok(()) } else { print() };
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

/// One line a row: file, operator, type, number of elements, value, its bits if `with_bits`, and the CPU's verdict if there is one.
fn text(rows: &[Row], with_bits: bool) -> String {
    let wraps = std::io::stdout().is_terminal();
    let mut table = table::plain();
    for row in rows {
        let op = row.q.map_or_else(|| row.op.clone(), |q| format!("{} {q}", row.op));
        let written = row.array.as_ref().and_then(|array| Some((array, array.output.as_ref()?)));
        let bits = row.bits.as_ref().filter(|_| with_bits && written.is_none());
        let mut cells =
            vec![visible(&row.file, &[]), visible(&op, &[]), row.element.to_owned(), row.n.to_string()];
        cells.extend(row.key.map(|key| format!("key {}", key.text())));
        cells.push(match written {
            Some((array, output)) => format!("{:?} {} in {output}", array.shape, array.dtype),
            None => row.value.text(&|cell| cell.text(), wraps),
        });
        cells.extend(bits.map(|bits| bits.text(&|bits| bits.clone().unwrap_or("-".to_owned()), wraps)));
        cells.extend(row.skipped.map(|skipped| format!("{skipped} skipped")));
        cells.extend(Some(row.check.name().to_owned()).filter(|name| !name.is_empty()));
        table.add_row(cells);
    }
    table.column_iter_mut().for_each(|column| _ = column.set_padding((0, 2)));
    table::align_right(&mut table, 3..4);
    table.trim_fmt() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(answer: Scalar) -> Cell {
        Cell { answer: Some(answer), is_truth: false }
    }

    fn row(value: Option<Value>) -> Row {
        let of_file = OfFile {
            file: "a b.npy",
            element: "f32",
            n: 12,
            wall_ms: 2.0,
            adapter: "some GPU",
            ..OfFile::default()
        };
        let value = Tree::Leaf(Cell { answer: value.map(Scalar::One), is_truth: false });
        Row { value, ..of_file.row("sum", Some(0.5), Check::Right) }
    }

    #[test]
    fn json_has_the_keys_in_order_and_numbers_in_full() {
        let json = |value| serde_json::to_string(&row(value)).unwrap();
        assert_eq!(
            json(Some(Value::Unsigned(u64::MAX))),
            r#"{"file":"a b.npy","op":"sum","type":"f32","n":12,"value":18446744073709551615,"#.to_owned()
                + r#""bits":null,"index":null,"gpu_ms":0.5,"wall_ms":2.0,"adapter":"some GPU","check":"verified"}"#
        );
        for (value, text) in [
            (Value::Signed(i64::MIN), "-9223372036854775808"),
            (Value::Wide(-1 << 100), "-1267650600228229401496703205376"),
            (Value::F32(0.1), "0.10000000149011612"),
            (Value::F64(-0.0), "-0.0"),
            (Value::F32(f32::NAN), "\"NaN\""),
            (Value::F64(f64::NEG_INFINITY), "\"-inf\""),
        ] {
            assert!(json(Some(value)).contains(&format!("\"value\":{text},")), "{text}");
        }
        assert!(json(None).contains("\"value\":null,"));
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
        assert_eq!(cell(Scalar::Range { min: low, max: high }).text(), "-1.5 … 2.0");
        assert_eq!(cell(Scalar::At { value: low, index: 7 }).text(), "-1.5 at 7");
        let truth = Cell { is_truth: true, ..cell(Scalar::One(Value::Unsigned(1))) };
        assert_eq!(truth.text(), "true");
    }
}
