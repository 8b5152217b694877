//! Record files: `--record` writes them, `compare` and `report` read them.

use std::fs;
use std::path::Path;

use halofold_measure::{Record, SCHEMA};
use serde_json::Value;

use crate::failure::Failure;
use crate::files::Fault;
use crate::reserved::Reserved;

/// Writes a record into the reserved file of `--record`, if there is one.
pub fn write(file: Option<Reserved>, record: impl FnOnce() -> Record) -> Result<(), Failure> {
    file.map_or(Ok(()), |file| file.write(&record().to_json().map_err(Failure::usage)?))
}

/// Opens the file of `--record` before the work, so that an unwritable path fails early.
pub fn reserve(path: Option<&Path>) -> Result<Option<Reserved>, Failure> {
    path.map(|path| Reserved::open("--record", path)).transpose()
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
