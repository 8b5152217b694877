//! Files of records, which `--record` writes, and `compare` and `report` read.

use std::fs;
use std::path::Path;

use halofold_measure::{Record, SCHEMA};
use serde_json::Value;

use crate::failure::Failure;
use crate::reserved::Reserved;
use crate::row::{LibraryWork, Row, StencilWork};

/// Writes a record into the file that `--record` named, if it named one.
pub fn write(file: Option<Reserved>, record: impl FnOnce() -> Record) -> Result<(), Failure> {
    file.map_or(Ok(()), |file| file.write(&record().to_json().map_err(Failure::usage)?))
}

/// Opens the file that `--record` names, so that a path that cannot be written is an error now and not after the work.
pub fn reserve(path: Option<&Path>) -> Result<Option<Reserved>, Failure> {
    path.map(|path| Reserved::open("--record", path)).transpose()
}

/// Contents of a file: a record, or the bare rows that `--json` prints.
#[derive(Debug)]
pub struct Loaded {
    /// The record without its rows; `None` for bare rows.
    pub origin: Option<Record>,
    pub rows: Vec<Row>,
    pub stencils: Vec<Row<StencilWork>>,
    pub library: Vec<Row<LibraryWork>>,
}

pub fn load(path: &Path) -> Result<Loaded, Failure> {
    let bytes = fs::read(path).map_err(|error| wrong(path, &error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong(path, NO_RECORD))?;
    parse(&text).map_err(|error| wrong(path, &error))
}

/// Message about other files.
const NO_RECORD: &str = "this is not a halofold record: make one with `halofold ladder --record FILE`";

fn wrong(path: &Path, error: &str) -> Failure {
    refusal!("{}: {error}", path.display())
}

fn parse(text: &str) -> Result<Loaded, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("this is not JSON ({error})"))?;
    if let Value::Array(rows) = value {
        return bare(rows);
    }
    let schema = value.get("schema").and_then(Value::as_u64).ok_or(NO_RECORD)?;
    if schema != u64::from(SCHEMA) {
        return Err(format!("a record of schema {schema}; this halofold reads schema {SCHEMA}"));
    }
    let mut record: Record =
        serde_json::from_value(value).map_err(|error| format!("the record is incomplete ({error})"))?;
    Ok(Loaded {
        rows: std::mem::take(&mut record.rows),
        stencils: std::mem::take(&mut record.stencils),
        library: std::mem::take(&mut record.library),
        origin: Some(record),
    })
}

/// Rows without a record, of either kind that commands print.
fn bare(rows: Vec<Value>) -> Result<Loaded, String> {
    if rows.is_empty() {
        return Err("there are no rows in it".to_owned());
    }
    let (stencils, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.get("variant").is_some());
    let wrong =
        |error| format!("these are not rows of `ladder --json` or `stencil --preset … --json` ({error})");
    Ok(Loaded {
        origin: None,
        rows: serde_json::from_value(Value::Array(rows)).map_err(wrong)?,
        stencils: serde_json::from_value(Value::Array(stencils)).map_err(wrong)?,
        library: Vec::new(),
    })
}
