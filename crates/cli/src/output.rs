//! Writing to standard output, which its reader may close at any time.

use std::io::{ErrorKind, Write as _};
use std::path::Path;
use std::time::Instant;

use halofold_measure::significant;
use serde_json::Value;

use crate::failure::Failure;

/// Writes text to standard output and flushes it. A closed pipe ends the program quietly.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        _ => refusal!("standard output: {error}"),
    })
}

/// A text without characters that could move a terminal's cursor, but for those that may: of names of files.
pub fn visible(text: &str, but: &[char]) -> String {
    text.replace(|c: char| c.is_control() && !but.contains(&c), "\u{fffd}")
}

pub fn written(path: &Path) {
    eprintln!("written: {}", visible(&path.to_string_lossy(), &[]));
}

pub fn ms_since(start: Instant) -> f64 {
    significant(start.elapsed().as_secs_f64() * 1e3)
}

pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::usage)?;
    print(&(text + "\n"))
}

pub fn csv<N: AsRef<[u8]>, R: IntoIterator<Item: AsRef<[u8]>>>(
    names: impl IntoIterator<Item = N>,
    records: impl IntoIterator<Item = R>,
) -> Result<String, Failure> {
    let mut text = csv::Writer::from_writer(Vec::new());
    text.write_record(names).map_err(Failure::usage)?;
    records.into_iter().try_for_each(|record| text.write_record(record)).map_err(Failure::usage)?;
    String::from_utf8(text.into_inner().map_err(Failure::usage)?).map_err(Failure::usage)
}

pub fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Formats rows as CSV. The names of the columns are the keys in JSON.
pub fn csv_of<T: serde::Serialize>(rows: &[T]) -> Result<String, Failure> {
    let fields = |row: &T| match serde_json::to_value(row) {
        Ok(Value::Object(fields)) => Ok(fields),
        other => Err(refusal!("{other:?} is no row")),
    };
    let rows = rows.iter().map(fields).collect::<Result<Vec<_>, _>>()?;
    let names = rows.first().into_iter().flat_map(serde_json::Map::keys);
    csv(names, rows.iter().map(|row| row.values().map(cell)))
}
