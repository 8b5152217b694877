//! The record of a bench.

use std::path::{Path, PathBuf};
use std::{env, fs};

use halofold_measure::{Inputs, Record};

use super::{Machine, target};

/// The path of a bench's record: the file that `HALOFOLD_RECORD` names, or one of the bench's name under the target directory.
pub fn record_path(bench: &str, machine: &Machine) -> PathBuf {
    let cold = if machine.inputs == Inputs::Cold { "-cold" } else { "" };
    let usual = || target().join("halofold").join(format!("{bench}{cold}.json"));
    env::var_os("HALOFOLD_RECORD").map_or_else(usual, PathBuf::from)
}

/// Writes the record into which `put` puts the measured rows; no record if there are none, as in criterion's test mode.
///
/// A bench has rows of one kind. Those of the other kinds stay what the file has, if it is a record of the same adapter and
/// inputs: one file for all benches.
pub fn write_record(machine: &Machine, path: &Path, timed: bool, put: impl FnOnce(&mut Record)) {
    if !timed {
        return;
    }
    let blank = Record::new(&machine.device, &machine.peak.peak(), Vec::new());
    let blank = Record { inputs: machine.inputs, ..blank };
    let mut record = match before(path, &blank) {
        Some(Record { rows, stencils, library, .. }) => Record { rows, stencils, library, ..blank },
        None => blank,
    };
    put(&mut record);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    }
    let text = record.to_json().expect("a record is JSON");
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    eprintln!("record: {}", path.display());
}

/// The record that a file holds, if it is from the same adapter, version and kind of inputs as another.
fn before(path: &Path, other: &Record) -> Option<Record> {
    let record: Record = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let origin = |record: &Record| (record.adapter.clone(), record.halofold.clone(), record.inputs);
    (origin(&record) == origin(other)).then_some(record)
}
