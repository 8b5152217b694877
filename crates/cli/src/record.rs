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
    /// The rows of reductions.
    pub rows: Vec<Row>,
    /// The rows of stencils.
    pub stencils: Vec<Row<StencilWork>>,
    /// The rows of the library.
    pub library: Vec<Row<LibraryWork>>,
}

/// Reads a file.
pub fn load(path: &Path) -> Result<Loaded, Failure> {
    let bytes = fs::read(path).map_err(|error| wrong(path, &error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| wrong(path, NO_RECORD))?;
    parse(&text).map_err(|error| wrong(path, &error))
}

/// Message about other files.
const NO_RECORD: &str = "this is not a halofold record: make one with `halofold ladder --record FILE`";

fn wrong(path: &Path, error: &str) -> Failure {
    Failure::Usage(format!("{}: {error}", path.display()))
}

fn parse(text: &str) -> Result<Loaded, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("this is not JSON ({error})"))?;
    if let Value::Array(rows) = value {
        return bare(rows);
    }
    let schema = value.get("schema").and_then(Value::as_u64);
    match schema {
        None => {
            return Err(NO_RECORD.to_owned());
        }
        Some(schema) if schema != u64::from(SCHEMA) => {
            return Err(format!("a record of schema {schema}; this halofold reads schema {SCHEMA}"));
        }
        Some(_) => {}
    }
    let mut record: Record =
        serde_json::from_value(value).map_err(|error| format!("the record is incomplete ({error})"))?;
    let rows = std::mem::take(&mut record.rows);
    let stencils = std::mem::take(&mut record.stencils);
    let library = std::mem::take(&mut record.library);
    Ok(Loaded { origin: Some(record), rows, stencils, library })
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

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn files_that_are_no_records_are_refused_with_the_reason() {
        for (text, message) in [
            ("", "not JSON"),
            ("{}", "not a halofold record"),
            ("{\"schema\": 99}", "schema 99"),
            ("{\"schema\": 1}", "incomplete"),
            ("[]", "no rows in it"),
            ("[{\"file\": \"a.npy\"}]", "not rows of"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
