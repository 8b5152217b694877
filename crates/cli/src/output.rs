//! Writing to standard output, which its reader may close at any time.

use std::io::{ErrorKind, Write as _};
use std::path::Path;

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

/// Names a file that was written, on standard error: standard output may be one of them.
pub fn written(path: &Path) {
    eprintln!("written: {}", visible(&path.to_string_lossy(), &[]));
}

/// Writes a value as JSON, indented, with a newline at the end.
pub fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::usage)?;
    print(&(text + "\n"))
}

/// Rows as CSV, with a line of names.
pub fn csv<T: serde::Serialize>(rows: &[T]) -> Result<String, Failure> {
    let mut text = csv::Writer::from_writer(Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let Value::Object(fields) = serde_json::to_value(row).map_err(Failure::usage)? else { continue };
        if index == 0 {
            text.write_record(fields.keys()).map_err(Failure::usage)?;
        }
        text.write_record(fields.values().map(cell)).map_err(Failure::usage)?;
    }
    let bytes = text.into_inner().map_err(Failure::usage)?;
    String::from_utf8(bytes).map_err(Failure::usage)
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Writes rows as JSON, as CSV or as a table.
pub fn print_table<T: serde::Serialize>(
    rows: &[T],
    json: bool,
    as_csv: bool,
    table: impl FnOnce() -> String,
) -> Result<(), Failure> {
    match (json, as_csv) {
        (true, _) => print_json(&rows),
        (_, true) => print(&csv(rows)?),
        _ => print(&table()),
    }
}
