//! Parts that all benches of halofold share: an open adapter, its ceiling, benchmarks by its clock, and the record.

mod group;
mod machine;

pub use group::{FEWEST, Group, rate};
pub use machine::{Extent, Machine};

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs};

use criterion::Criterion;
use halofold_measure::{Inputs, Record, Row, What};

/// Runs a bench: opens the adapter, measures all rows, and puts them into the record.
pub fn run<W: What>(
    bench: &str,
    measure: impl FnOnce(&mut Criterion, &Machine) -> Vec<Row<W>>,
    put: impl FnOnce(&mut Record, Vec<Row<W>>),
) {
    let machine = Machine::open();
    let mut criterion = criterion(&machine);
    let rows = measure(&mut criterion, &machine);
    criterion.final_summary();
    // criterion's test mode times nothing.
    if rows.iter().any(|row| row.times.median.is_some()) {
        write_record(&machine, bench, |record| put(record, rows));
    }
}

/// criterion with times so short that hundreds of benchmarks end in minutes; its own options override them.
///
/// Every adapter has a folder of its own under criterion's, so that a run is compared with the last one on the same adapter.
fn criterion(machine: &Machine) -> Criterion {
    let home = env::var_os("CRITERION_HOME").map_or_else(|| target().join("criterion"), PathBuf::from);
    Criterion::default()
        .sample_size(FEWEST)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .nresamples(2_000)
        .output_directory(&home.join(machine.folder()))
        .configure_from_args()
}

/// Cargo's target directory.
fn target() -> PathBuf {
    PathBuf::from(env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}

/// Prints the reason why something is not measured.
pub fn skip(name: &str, reason: &str) {
    eprintln!("{name}: skipped ({reason})");
}

/// Writes rows into the record: the file that `HALOFOLD_RECORD` names, or one of the bench's name under the target directory.
///
/// A bench has rows of one kind. Those of the other kinds stay what the file has, if it is a record of the same adapter and
/// inputs: one file for all benches.
fn write_record(machine: &Machine, bench: &str, put: impl FnOnce(&mut Record)) {
    let cold = if machine.inputs == Inputs::Cold { "-cold" } else { "" };
    let usual = || target().join("halofold").join(format!("{bench}{cold}.json"));
    let path = env::var_os("HALOFOLD_RECORD").map_or_else(usual, PathBuf::from);
    let blank = Record::new(&machine.device, &machine.peak.peak(), Vec::new());
    let blank = Record { inputs: machine.inputs, ..blank };
    let mut record = match before(&path, &blank) {
        Some(Record { rows, stencils, library, .. }) => Record { rows, stencils, library, ..blank },
        None => blank,
    };
    put(&mut record);
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let text = record.to_json().expect("a record is JSON");
    folder
        .and_then(|()| fs::write(&path, text))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    eprintln!("record: {}", path.display());
}

/// The record that a file holds, if it is from the same adapter, version and kind of inputs as another.
fn before(path: &Path, other: &Record) -> Option<Record> {
    let record: Record = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    let origin = |record: &Record| (record.adapter.clone(), record.halofold.clone(), record.inputs);
    (origin(&record) == origin(other)).then_some(record)
}
