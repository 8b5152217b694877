//! Rows: the result of an operator over a file, as JSON, CSV and text.

use std::io::IsTerminal as _;

use halofold::Value;
use halofold::reduce::Scalar;
use halofold_measure::significant;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{json, value::RawValue};

use super::args::ReduceArgs;
use super::nested::nested;
use super::results::Results;
use super::verify::Check;
use crate::failure::Failure;
use crate::files::{Stored, npy};
use crate::output::{self, visible};
use crate::table::{Column, Layout};

/// The most letters of a value beside its row on a terminal, and of a line of a longer value.
const LINE: usize = 72;

/// The most values that text shows in full.
const FEW: usize = 1000;

/// The result of an operator over a file. The fields, in this order, are the keys in JSON.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Row {
    pub file: String,
    pub op: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) q: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<Cell>,
    #[serde(rename = "type")]
    pub element: &'static str,
    pub n: u64,
    /// The number of elements left out, if the request leaves any out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skipped: Option<u64>,
    #[serde(flatten)]
    pub array: Option<Array>,
    #[serde(flatten)]
    pub values: Values,
    pub gpu_ms: Option<f64>,
    pub wall_ms: f64,
    pub adapter: String,
    #[serde(serialize_with = "verdict", skip_serializing_if = "Check::is_unchecked")]
    pub check: Check,
}

#[derive(Clone, Debug, Serialize)]
pub struct Array {
    /// The axis, from 0, or a list of several.
    pub axis: serde_json::Value,
    pub shape: Vec<u64>,
    pub dtype: String,
    pub output: Option<String>,
}

/// One result, or an array of results. In JSON, `value`, `bits` and `index`; nested lists for an array.
#[derive(Clone, Debug)]
pub struct Values {
    dims: Vec<u64>,
    cells: Vec<Cell>,
    is_exact: bool,
    /// True if the indices are the results.
    is_search: bool,
}

impl Default for Values {
    fn default() -> Self {
        Values { dims: Vec::new(), cells: vec![Cell::default()], is_exact: false, is_search: false }
    }
}

impl Values {
    fn is_placed(&self) -> bool {
        self.cells.iter().any(|cell| cell.place().is_some())
    }

    fn text(&self, text: impl Fn(&Cell) -> String) -> String {
        nested(&self.dims, &self.cells.iter().map(text).collect::<Vec<_>>(), self.cells.len() > FEW)
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = |text: &dyn Fn(&Cell) -> Option<String>| {
            let texts: Vec<_> =
                self.cells.iter().map(|cell| text(cell).unwrap_or("null".to_owned())).collect();
            RawValue::from_string(nested(&self.dims, &texts, false)).map_err(serde::ser::Error::custom)
        };
        let bits = |cell: &Cell| cell.bits().map(|bits| format!("\"{bits}\""));
        let place = |cell: &Cell| cell.place().map(|place| place.to_string());
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("value", &json(&Cell::json)?)?;
        map.serialize_entry("bits", &self.is_exact.then(|| json(&bits)).transpose()?)?;
        map.serialize_entry("index", &self.is_placed().then(|| json(&place)).transpose()?)?;
        map.end()
    }
}

/// What all results of a file share: groups and axes, if there are any.
pub struct About<'a> {
    pub keys: Option<&'a [Value]>,
    pub axes: Option<&'a [usize]>,
    pub output: Option<String>,
    /// True if the request leaves elements out.
    pub is_left_out: bool,
}

impl Row {
    /// Makes the rows of an operator's results, one per group. `self` has what the rows share.
    pub fn of(&self, about: &About<'_>, results: &Results) -> Vec<Row> {
        let groups = about.keys.map_or(1, <[Value]>::len);
        let of_group = results.values.len().checked_div(groups).unwrap_or(0);
        let dims = results.shape.iter().skip(usize::from(about.keys.is_some())).copied();
        let dims: Vec<_> = dims.chain(results.several.map(|several| several as u64)).collect();
        let is_truth = results.dtypes == [Stored::Bool];
        let row = |group: usize| {
            let answers = results.values[group * of_group..][..of_group].iter();
            let mut values = Values {
                dims: dims.clone(),
                cells: answers.map(|answer| Cell { answer: *answer, is_truth }).collect(),
                is_exact: results.is_exact,
                is_search: false,
            };
            values.is_search = results.several.is_none() && values.is_placed();
            let key = about.keys.map(|keys| Cell { answer: Some(Scalar::One(keys[group])), is_truth: false });
            let counts = results.counts.len().checked_div(groups).unwrap_or(0);
            let array = about.axes.map(|axes| Array {
                axis: if let [axis] = axes { json!(axis) } else { json!(axes) },
                shape: results.dims(),
                dtype: results.dtypes.iter().map(|dtype| dtype.numpy()).collect::<Vec<_>>().join(","),
                output: about.output.clone(),
            });
            Row {
                op: results.name.clone(),
                q: results.q,
                n: key.map_or(self.n, |_| results.counts[group * counts..][..counts].iter().sum()),
                key,
                skipped: about.is_left_out.then(|| self.n - results.counts.iter().sum::<u64>()),
                array,
                values,
                gpu_ms: results.gpu_ms.map(significant),
                check: results.check.clone(),
                ..self.clone()
            }
        };
        (0..groups).map(row).collect()
    }
}

/// A result, which may be a Boolean. `None` if there is none without elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    answer: Option<Scalar>,
    is_truth: bool,
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let json = RawValue::from_string(self.json().unwrap_or("null".to_owned()));
        json.map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl Cell {
    /// Returns its numbers: two for a range.
    fn numbers(self) -> Vec<Cell> {
        match self.answer {
            Some(Scalar::Range { min, max }) => {
                [min, max].map(|value| Cell { answer: Some(Scalar::One(value)), is_truth: false }).into()
            }
            _ => vec![self],
        }
    }

    /// Formats its value: a Boolean, or the fewest digits that identify the value in its type.
    fn number(self) -> Option<String> {
        Some(match self.answer?.value()? {
            value if self.is_truth => (value.as_f64() != 0.0).to_string(),
            Value::F32(x) => format!("{x:?}"),
            Value::F64(x) => format!("{x:?}"),
            integer => integer.to_string(),
        })
    }

    /// Converts its numbers to JSON: strings where JSON has no number.
    fn json(&self) -> Option<String> {
        let numbers = self.numbers();
        if numbers.len() > 1 {
            let numbers: Vec<_> = numbers.iter().filter_map(Cell::json).collect();
            return Some(format!("[{}]", numbers.join(", ")));
        }
        let is_finite = self.answer?.value()?.as_f64().is_finite();
        self.number().map(|text| if is_finite { text } else { format!("\"{text}\"") })
    }

    fn text(&self) -> String {
        let number = |cell: Cell| cell.number().unwrap_or("-".to_owned());
        let text = self.numbers().into_iter().map(number).collect::<Vec<_>>().join(" … ");
        self.place().map_or(text.clone(), |index| format!("{text} at {index}"))
    }

    fn bits(&self) -> Option<String> {
        match self.answer? {
            Scalar::One(Value::F64(x)) => Some(format!("{:#018x}", x.to_bits())),
            Scalar::One(Value::F32(x)) => Some(format!("{:#010x}", x.to_bits())),
            _ => None,
        }
    }

    fn place(&self) -> Option<u64> {
        if let Scalar::At { index, .. } = self.answer? { Some(index) } else { None }
    }
}

fn verdict<S: Serializer>(check: &Check, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(check.name())
}

#[rustfmt::skip]
const COLUMNS: [&str; 15] = [
    "file", "op", "q", "key", "type", "n", "skipped", "place", "value", "index", "bits", "check", "gpu_ms", "wall_ms", "adapter",
];

/// Makes a line of CSV per number of a row in C order, with its position in the array that `-o` writes.
fn records(row: &Row) -> Vec<[String; 15]> {
    let fields = serde_json::to_value(Row { values: Values::default(), ..row.clone() }).unwrap_or_default();
    let Values { dims, cells, is_exact, .. } = &row.values;
    let mut records = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        let (mut rest, mut place) = (at as u64, Vec::new());
        for len in dims.iter().rev() {
            place.insert(0, (rest % len).to_string());
            rest /= len;
        }
        let numbers = cell.numbers();
        let is_range = numbers.len() > 1;
        for (half, number) in numbers.into_iter().enumerate() {
            let place = [place.clone(), is_range.then(|| half.to_string()).into_iter().collect()].concat();
            records.push(COLUMNS.map(|name| match name {
                "place" => place.join(","),
                "value" => number.number().unwrap_or_default(),
                "index" => cell.place().map(|place| place.to_string()).unwrap_or_default(),
                "bits" => number.bits().filter(|_| *is_exact).unwrap_or_default(),
                name => output::cell(&fields[name]),
            }));
        }
    }
    records
}

/// Formats bare numbers, one per line, as `-o` would write them: indices for searches.
fn bare(row: &Row) -> String {
    let number = |cell: &Cell| match cell.place().filter(|_| row.values.is_search) {
        Some(place) => format!("{place}\n"),
        None => cell
            .numbers()
            .into_iter()
            .map(|cell| Cell::number(cell).unwrap_or("-".to_owned()) + "\n")
            .collect(),
    };
    row.values.cells.iter().map(number).collect()
}

/// Prints the rows, and reports wrong ones on standard error.
pub fn deliver(rows: &[Row], args: &ReduceArgs) -> Result<(), Failure> {
    let written = match rows {
        [] => Ok(()),
        _ if args.csv => {
            output::csv(COLUMNS, rows.iter().flat_map(records)).and_then(|text| output::print(&text))
        }
        _ if args.quiet && args.output.is_some() => Ok(()),
        _ if args.quiet => output::print(&rows.iter().map(bare).collect::<String>()),
        _ if args.json => output::print_json(&rows),
        _ => output::print(&text(rows, args.exact)),
    };
    judged(rows).and(written)
}

/// Prints a row whose results are in a file, unless `quiet`, and reports a wrong one.
pub fn deliver_array(row: Row, json: bool, quiet: bool) -> Result<(), Failure> {
    let rows = [row];
    let written = match quiet {
        true => Ok(()),
        false if json => output::print_json(&rows),
        false => output::print(&text(&rows, false)),
    };
    judged(&rows).and(written)
}

/// Reports wrong rows on standard error, even if printing failed.
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

/// Formats a line per row: file, operator, type, number of elements, value, bits if `with_bits`, and the CPU's verdict if there is one. On a
/// terminal, a long value goes below its row.
fn text(rows: &[Row], with_bits: bool) -> String {
    let wraps = std::io::stdout().is_terminal();
    let cells: Vec<_> = rows.iter().map(|row| cells(row, with_bits)).collect();
    let is_long = move |cells: &[String; 9]| wraps && cells[5].len() > LINE;
    let columns = (0..9).map(|at| {
        let cell = move |cells: &[String; 9]| {
            if at == 5 && is_long(cells) { String::new() } else { cells[at].clone() }
        };
        if at == 3 { Column::number("", cell) } else { Column::words("", cell) }
    });
    let layout = Layout::new(columns.collect(), &cells, true);
    let indented = textwrap::Options::new(LINE).initial_indent("  ").subsequent_indent("  ");
    let line = |cells: &[String; 9]| {
        let below = if is_long(cells) { textwrap::fill(&cells[5], &indented) + "\n" } else { String::new() };
        layout.line(cells) + &below
    };
    cells.iter().map(line).collect()
}

fn cells(row: &Row, with_bits: bool) -> [String; 9] {
    let written = row.array.as_ref().and_then(|array| Some((array, array.output.as_ref()?)));
    let has_bits = with_bits && row.values.is_exact && written.is_none();
    let bits = || row.values.text(|cell| cell.bits().unwrap_or("-".to_owned()));
    [
        visible(&row.file, &[]),
        visible(&row.q.map_or_else(|| row.op.clone(), |q| format!("{} {q}", row.op)), &[]),
        row.element.to_owned(),
        row.n.to_string(),
        row.key.map(|key| format!("key {}", key.text())).unwrap_or_default(),
        match written {
            Some((array, output)) => format!("{} {} in {output}", npy::tuple(&array.shape), array.dtype),
            None => row.values.text(Cell::text),
        },
        if has_bits { bits() } else { String::new() },
        row.skipped.map(|skipped| format!("{skipped} skipped")).unwrap_or_default(),
        row.check.name().to_owned(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(answer: Scalar) -> Cell {
        Cell { answer: Some(answer), is_truth: false }
    }

    fn row(value: Option<Value>) -> Row {
        let cells = vec![Cell { answer: value.map(Scalar::One), is_truth: false }];
        Row {
            file: "a b.npy".to_owned(),
            op: "sum".to_owned(),
            element: "f32",
            n: 12,
            values: Values { cells, ..Values::default() },
            gpu_ms: Some(0.5),
            wall_ms: 2.0,
            adapter: "some GPU".to_owned(),
            check: Check::Right,
            ..Row::default()
        }
    }

    #[test]
    fn json_has_keys_in_order_and_shortest_numbers() {
        let json = |value| serde_json::to_string(&row(value)).unwrap();
        assert_eq!(
            json(Some(Value::Unsigned(u64::MAX))),
            r#"{"file":"a b.npy","op":"sum","type":"f32","n":12,"value":18446744073709551615,"#.to_owned()
                + r#""bits":null,"index":null,"gpu_ms":0.5,"wall_ms":2.0,"adapter":"some GPU","check":"verified"}"#
        );
        for (value, text) in [
            (Some(Value::Wide(-1 << 100)), "-1267650600228229401496703205376"),
            (Some(Value::F32(0.1)), "0.1"),
            (Some(Value::F64(-0.0)), "-0.0"),
            (Some(Value::F32(f32::NAN)), "\"NaN\""),
            (Some(Value::F64(f64::NEG_INFINITY)), "\"-inf\""),
            (None, "null"),
        ] {
            assert!(json(value).contains(&format!("\"value\":{text},")), "{text}");
        }
    }

    #[test]
    fn text_is_a_line_a_row() {
        let rows = [row(None), Row { n: 1, check: Check::Undecided, ..row(Some(Value::F32(1e-30))) }];
        let lines = "a b.npy  sum  f32  12  -      verified\na b.npy  sum  f32   1  1e-30  undecided\n";
        assert_eq!(text(&rows, false), lines);
        let [low, high] = [-1.5, 2.0].map(Value::F32);
        assert_eq!(cell(Scalar::Range { min: low, max: high }).text(), "-1.5 … 2.0");
        assert_eq!(cell(Scalar::At { value: low, index: 7 }).text(), "-1.5 at 7");
    }
}
