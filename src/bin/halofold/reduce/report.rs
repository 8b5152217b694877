//! The results, for people and for programs.

use comfy_table::CellAlignment;
use halofold::Value;
use serde::{Serialize, Serializer};

use super::tally::Check;
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
    /// The result; none for the minimum, maximum or mean of nothing.
    #[serde(serialize_with = "number")]
    pub value: Option<Value>,
    /// Where in the file it is, for operators that look for something.
    pub index: Option<u64>,
    /// Time on the GPU, all pieces together.
    pub gpu_ms: Option<f64>,
    /// From opening the file to the value.
    pub wall_ms: f64,
    /// The adapter's name.
    pub adapter: String,
    /// What the CPU says.
    #[serde(skip)]
    pub check: Check,
}

/// A value as a JSON number, all digits of it; as a string where JSON has no number for it.
fn number<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    match *value {
        None => serializer.serialize_none(),
        Some(Value::Unsigned(x)) => serializer.serialize_u64(x),
        Some(Value::Signed(x)) => serializer.serialize_i64(x),
        // Whoever reads JSON reads 64-bit floats: digits that are enough for 32 bits would become another value.
        Some(float) if float.as_f64().is_finite() => serializer.serialize_f64(float.as_f64()),
        Some(other) => serializer.collect_str(&other),
    }
}

/// One line a row: file, operator, type, number of elements, value, and what the CPU says if it was asked.
pub fn text(rows: &[Row]) -> String {
    let mut table = table::plain();
    for row in rows {
        let value = row.value.map_or("-".to_owned(), shortest);
        let mut cells =
            vec![row.file.clone(), row.op.to_owned(), row.element.to_owned(), row.n.to_string(), value];
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
fn shortest(value: Value) -> String {
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
            value,
            index: None,
            gpu_ms: Some(0.5),
            wall_ms: 2.0,
            adapter: "some GPU".to_owned(),
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
    fn text_is_a_line_a_row() {
        let rows = [row(None), Row { n: 1, check: Check::Undecided, ..row(Some(Value::F32(1e-30))) }];
        assert_eq!(
            text(&rows),
            "a b.npy  sum  f32  12  -      verified\na b.npy  sum  f32   1  1e-30  undecided\n"
        );
    }
}
