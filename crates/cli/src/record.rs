//! Records: `ladder`, `replay` and benches write them; `compare` and `report` read them.

use std::fs;
use std::path::{Path, PathBuf};

use halofold_measure::{Record, Row, SCHEMA, What};
use serde_json::Value;

use crate::failure::Failure;
use crate::files::Fault;
use crate::output::{csv_of, print};
use crate::reserved::Reserved;

/// Options of a command that measures.
#[derive(clap::Args)]
pub struct RecordArgs {
    /// Print the record as JSON instead of the table: the machine and all rows.
    #[arg(long, conflicts_with = "csv", help_heading = "Output")]
    json: bool,
    /// Print the rows as CSV instead of the table.
    #[arg(long, help_heading = "Output")]
    csv: bool,
    /// Also write the record to a file, for `halofold compare` and `halofold report`.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    record: Option<PathBuf>,
}

impl RecordArgs {
    /// Returns true if the output is text.
    pub fn is_table(&self) -> bool {
        !self.json && !self.csv
    }

    /// Opens the file of `--record` before the work, so that an unwritable path fails early.
    pub fn reserve(&self) -> Result<Option<Reserved>, Failure> {
        self.record.as_deref().map(|path| Reserved::open("--record", path)).transpose()
    }

    /// Prints the record or its rows, if requested, and writes the reserved file.
    pub fn put<W: What>(
        &self,
        file: Option<Reserved>,
        record: &Record,
        rows: &[Row<W>],
    ) -> Result<(), Failure> {
        let text = record.to_json().map_err(Failure::usage)?;
        match (self.json, self.csv) {
            (true, _) => print(&text)?,
            (_, true) => print(&csv_of(rows)?)?,
            _ => (),
        }
        file.map_or(Ok(()), |file| file.write(&text))
    }
}

pub fn load(path: &Path) -> Result<Record, Failure> {
    let wrong = |error: String| refusal!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| wrong(Fault::opening(error).to_string()))?;
    parse(&bytes).map_err(wrong)
}

fn parse(bytes: &[u8]) -> Result<Record, String> {
    const NO_RECORD: &str = "this is not a halofold record: make one with `halofold ladder --record FILE`";
    let text = std::str::from_utf8(bytes).map_err(|_| NO_RECORD)?;
    let value: Value = serde_json::from_str(text).map_err(|error| format!("this is not JSON ({error})"))?;
    let schema = value.get("schema").and_then(Value::as_u64).ok_or(NO_RECORD)?;
    if schema != u64::from(SCHEMA) {
        return Err(format!("a record of schema {schema}; this halofold reads schema {SCHEMA}"));
    }
    serde_json::from_value(value).map_err(|error| format!("the record is incomplete ({error})"))
}

pub fn name(record: &Record) -> String {
    format!("{} ({})", record.adapter.name, record.adapter.backend)
}

pub fn day(record: &Record) -> String {
    record.date.chars().take(10).collect()
}
