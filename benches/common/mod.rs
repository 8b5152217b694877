//! Parts that all benches of halofold share: an open adapter, its ceiling, benchmarks by its clock, and the record.

mod group;
mod machine;

pub use group::Group;
pub use machine::{Extent, Machine};

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs};

use criterion::Criterion;
use halofold_measure::{Record, Row, Summary, What};

/// The fewest samples that criterion takes of a benchmark that it measures; its test mode takes one.
const FEWEST: usize = 10;

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
/// Every adapter and back end has a folder of its own under criterion's: a run is compared with the last one on the same adapter.
fn criterion(machine: &Machine) -> Criterion {
    let info = machine.device.adapter_info();
    let name = format!("{} {}", info.backend, info.name).to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let folder = words.collect::<Vec<_>>().join("-");
    Criterion::default()
        .sample_size(FEWEST)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .nresamples(2_000)
        .output_directory(&place("CRITERION_HOME", "criterion").join(folder))
        .configure_from_args()
}

/// The path that a variable names, by default one in Cargo's target directory.
fn place(variable: &str, usual: &str) -> PathBuf {
    let target = || PathBuf::from(env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()));
    env::var_os(variable).map_or_else(|| target().join(usual), PathBuf::from)
}

/// Summary of samples; `None` if criterion took too few, in its test mode.
pub fn summary(ms: &[f64]) -> Option<Summary> {
    Summary::of(ms).filter(|_| ms.len() >= FEWEST)
}

/// Prints the reason why something is not measured.
pub fn skip(name: &str, reason: &str) {
    eprintln!("{name}: skipped ({reason})");
}

/// Writes rows into the record: the file that `HALOFOLD_RECORD` names, or one of the bench's name under the target directory.
///
/// A bench has rows of one kind. Those of the other kinds stay what the file has, if it is a record of the same adapter, version and
/// inputs: one file for all benches.
fn write_record(machine: &Machine, bench: &str, put: impl FnOnce(&mut Record)) {
    let path = place("HALOFOLD_RECORD", &format!("halofold/{}.json", machine.title(bench, '-')));
    let blank = Record::new(&machine.device, &machine.peak.peak(), Vec::new());
    let mut record = Record { inputs: machine.inputs, ..blank };
    let before = fs::read(&path).ok().and_then(|text| serde_json::from_slice::<Record>(&text).ok());
    let origin = |record: &Record| (record.adapter.clone(), record.halofold.clone(), record.inputs);
    if let Some(before) = before.filter(|before| origin(before) == origin(&record)) {
        let Record { rows, stencils, library, .. } = before;
        record = Record { rows, stencils, library, ..record };
    }
    put(&mut record);
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let text = record.to_json().expect("a record is JSON");
    folder
        .and_then(|()| fs::write(&path, text))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    eprintln!("record: {}", path.display());
}
