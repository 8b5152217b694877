//! Results for other programs: a line for each number, as CSV or by itself.

use serde::Serialize;

use super::number_format::NumberFormat;
use super::report::Row;

/// A number of a result. Its fields, in their order, are the columns.
#[derive(Debug, Serialize)]
pub struct Line<'a> {
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
    adapter: Option<&'a str>,
}

impl Line<'_> {
    /// The number by itself: where a search found something, the index, as in the array.
    pub fn number(&self) -> String {
        let value = || self.value.clone().unwrap_or("-".to_owned());
        self.index.map_or_else(value, |index| index.to_string())
    }
}

/// The numbers of a row in C order; a single line without a value where they are too many to be held.
pub fn of(row: &Row, format: Option<NumberFormat>) -> Vec<Line<'_>> {
    let line = |place: Vec<usize>, value| Line {
        file: &row.file,
        op: &row.op,
        q: row.q,
        key: row.key.and_then(|key| key.number(None)),
        element: row.element,
        n: row.n,
        skipped: row.skipped,
        place: place.iter().map(usize::to_string).collect::<Vec<_>>().join(","),
        value,
        index: None,
        bits: None,
        check: row.check.name(),
        gpu_ms: row.gpu_ms,
        wall_ms: row.wall_ms,
        adapter: row.adapter.as_deref(),
    };
    let Some(values) = &row.value else { return vec![line(Vec::new(), None)] };
    let indices = row.index.as_ref().map(|tree| tree.leaves()).unwrap_or_default();
    let bits = row.bits.as_ref().map(|tree| tree.leaves()).unwrap_or_default();
    let results = values.leaves().into_iter().enumerate();
    let lines = results.flat_map(|(number, (place, cell))| {
        let numbers = cell.numbers();
        let is_range = numbers.len() > 1;
        let (index, bits) = (indices.get(number), bits.get(number));
        numbers.into_iter().enumerate().map(move |(half, cell)| {
            let mut place = place.clone();
            place.extend(is_range.then_some(half));
            Line {
                index: index.and_then(|(_, index)| **index),
                bits: bits.and_then(|(_, bits)| bits.as_deref()),
                ..line(place, cell.number(format))
            }
        })
    });
    lines.collect()
}
