//! The results, for people and for programs.

use std::path::Path;

use comfy_table::CellAlignment;
use halofold::Value;
use halofold::reduce::Op;
use serde::{Serialize, Serializer};

use super::check::Check;
use super::layout::Layout;
use super::op;
use super::results::{Results, Tree};
use super::rule::Answer;
use crate::output::visible;
use crate::table;

/// The result of one operator over one file. Its fields, in their order, are the keys in JSON.
#[derive(Debug, Serialize)]
pub struct Row {
    /// The file, as the command line names it.
    pub file: String,
    /// What was computed.
    pub op: &'static str,
    /// What the file holds.
    #[serde(rename = "type")]
    pub element: &'static str,
    /// How many of them.
    pub n: u64,
    /// What an axis gave, in place of one value.
    #[serde(flatten)]
    pub array: Option<Array>,
    /// The result, or nested lists of few results; none for the minimum, maximum or mean of no elements.
    pub value: Option<Tree<Cell>>,
    /// Where in the file or along the axis it is, for operators that look for something.
    pub index: Option<Tree<Option<u64>>>,
    /// Time on the GPU, all pieces together.
    pub gpu_ms: Option<f64>,
    /// From opening the file to the value.
    pub wall_ms: f64,
    /// The adapter's name.
    pub adapter: String,
    /// The result as text.
    #[serde(skip)]
    pub text: String,
    /// What the CPU says.
    #[serde(skip)]
    pub check: Check,
}

/// The keys of an axis.
#[derive(Clone, Debug, Serialize)]
pub struct Array {
    /// Which axis, from 0.
    pub axis: usize,
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
            axis: axis.number,
            shape: results.shape(),
            dtype: results.dtype().to_string(),
            output: output.map(|path| path.display().to_string()),
        })
    }
}

impl Row {
    /// The results as nested lists, if they are few: values, and places if the operator looks for them.
    pub fn lists(op: Op, results: &Results) -> (Option<Tree<Cell>>, Option<Tree<Option<u64>>>) {
        let nested = results.nested();
        let places = nested.as_ref().filter(|_| op::is_search(op)).map(|nested| nested.tree(place));
        let is_nothing = |tree: &Tree<Cell>| *tree == Tree::Leaf(Cell::Nothing);
        (nested.map(|nested| nested.tree(Cell::of)).filter(|tree| !is_nothing(tree)), places)
    }

    /// The results as text, or their number and shape if they are many or an array in a file.
    pub fn text(results: &Results, array: Option<&Array>) -> String {
        match (results.nested(), array.and_then(|array| array.output.as_deref())) {
            (_, Some(output)) => format!("{:?} {} in {output}", results.shape(), results.dtype()),
            (Some(nested), None) => nested.text(&show),
            (None, None) => format!("{:?} {}", results.shape(), results.dtype()),
        }
    }
}

fn place(answer: &Answer) -> Option<u64> {
    if let Answer::At { index, .. } = answer { Some(*index) } else { None }
}

/// A result in JSON.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    Nothing,
    Truth(bool),
    Value(Value),
    Range([Value; 2]),
}

impl Cell {
    /// An answer.
    pub fn of(answer: &Answer) -> Self {
        match *answer {
            Answer::Nothing => Cell::Nothing,
            Answer::Truth(truth) => Cell::Truth(truth),
            Answer::Value(value) | Answer::At { value, .. } => Cell::Value(value),
            Answer::Range { min, max } => Cell::Range([min, max]),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Cell::Nothing => serializer.serialize_none(),
            Cell::Truth(truth) => serializer.serialize_bool(truth),
            Cell::Value(value) => number(value, serializer),
            Cell::Range(pair) => serializer.collect_seq(pair.map(Cell::Value)),
        }
    }
}

/// A value as a JSON number, all digits of it; as a string where JSON has no number for it.
fn number<S: Serializer>(value: Value, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Value::Unsigned(x) => serializer.serialize_u64(x),
        Value::Signed(x) => serializer.serialize_i64(x),
        Value::Wide(x) => serializer.serialize_i128(x),
        // Whoever reads JSON reads 64-bit floats: digits that are enough for 32 bits would become another value.
        float if float.as_f64().is_finite() => serializer.serialize_f64(float.as_f64()),
        other => serializer.collect_str(&other),
    }
}

/// One line a row: file, operator, type, number of elements, value, and what the CPU says if it was asked.
pub fn text(rows: &[Row]) -> String {
    let mut table = table::plain();
    for row in rows {
        let Row { file, op, element, n, text, .. } = row;
        let mut cells =
            vec![visible(file, &[]), (*op).to_owned(), (*element).to_owned(), n.to_string(), text.clone()];
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

/// An answer as text.
fn show(answer: &Answer) -> String {
    match *answer {
        Answer::Nothing => "-".to_owned(),
        Answer::Truth(truth) => truth.to_string(),
        Answer::Value(value) => shortest(value),
        Answer::Range { min, max } => format!("{} … {}", shortest(min), shortest(max)),
        Answer::At { value, index } => format!("{} at {index}", shortest(value)),
    }
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

    fn row(value: Option<Value>) -> Row {
        Row {
            file: "a b.npy".to_owned(),
            op: "sum",
            element: "f32",
            n: 12,
            array: None,
            value: value.map(|value| Tree::Leaf(Cell::Value(value))),
            index: None,
            gpu_ms: Some(0.5),
            wall_ms: 2.0,
            adapter: "some GPU".to_owned(),
            text: value.map_or("-".to_owned(), shortest),
            check: Check::Right,
        }
    }

    #[test]
    fn json_has_the_keys_in_order_and_numbers_in_full() {
        let json = |value| serde_json::to_string(&row(value)).unwrap();
        assert_eq!(
            json(Some(Value::Unsigned(u64::MAX))),
            r#"{"file":"a b.npy","op":"sum","type":"f32","n":12,"value":18446744073709551615,"#.to_owned()
                + r#""index":null,"gpu_ms":0.5,"wall_ms":2.0,"adapter":"some GPU"}"#
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
        let array = Array { axis: 1, shape: vec![2], dtype: "f4".to_owned(), output: None };
        let lists = Tree::List([1.5, f32::NAN].map(|x| Tree::Leaf(Cell::Value(Value::F32(x)))).into());
        let row = Row { array: Some(array), value: Some(lists), ..row(None) };
        let json = serde_json::to_string(&row).unwrap();
        let keys =
            r#""n":12,"axis":1,"shape":[2],"dtype":"f4","output":null,"value":[1.5,"NaN"],"index":null,"#;
        assert!(json.contains(keys), "{json}");
    }

    #[test]
    fn text_is_a_line_a_row() {
        let rows = [row(None), Row { n: 1, check: Check::Undecided, ..row(Some(Value::F32(1e-30))) }];
        assert_eq!(
            text(&rows),
            "a b.npy  sum  f32  12  -      verified\na b.npy  sum  f32   1  1e-30  undecided\n"
        );
    }

    #[test]
    fn answers_of_two_parts_have_both() {
        let [low, high] = [-1.5, 2.0].map(Value::F32);
        assert_eq!(show(&Answer::Range { min: low, max: high }), "-1.5 … 2.0");
        assert_eq!(show(&Answer::At { value: low, index: 7 }), "-1.5 at 7");
        assert_eq!(show(&Answer::Truth(true)), "true");
    }
}
