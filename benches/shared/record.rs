//! What a bench leaves behind.

use std::path::PathBuf;
use std::{env, fs};

use halofold::measure::{Inputs, Record, Row, Status};

use super::{Machine, target};

/// The rows of a bench, and the file they go to.
pub struct Results {
    /// Reductions.
    pub rows: Vec<Row>,
    path: PathBuf,
}

impl Results {
    /// None yet. They go to the file that `HALOFOLD_RECORD` names, or to one of the bench's name under the target directory.
    pub fn of(bench: &str, machine: &Machine) -> Self {
        let cold = if machine.inputs == Inputs::Cold { "-cold" } else { "" };
        let usual = || target().join("halofold").join(format!("{bench}{cold}.json"));
        Results { rows: Vec::new(), path: env::var_os("HALOFOLD_RECORD").map_or_else(usual, PathBuf::from) }
    }

    /// Writes the record of what was measured; nothing if nothing was, as in criterion's test mode.
    pub fn write(self, machine: &Machine) {
        if self.rows.iter().all(|row| row.status == Status::Skipped) {
            return;
        }
        let record =
            Record { inputs: machine.inputs, ..Record::new(&machine.device, &machine.peak, self.rows) };
        let (path, text) = (self.path, record.to_json().expect("a record is JSON"));
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        }
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        eprintln!("record: {}", path.display());
    }
}
