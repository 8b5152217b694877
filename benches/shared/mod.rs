//! What every bench of halofold needs: an open adapter, its ceiling, samples kept for the record, and the record.

mod machine;
mod samples;

pub use machine::{Extent, Machine};
pub use samples::Samples;

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs};

use criterion::Criterion;
use halofold::measure::{Record, Row, Status};

/// criterion with times so short that hundreds of benchmarks end in minutes; its own options override them.
///
/// Every adapter has a folder of its own under criterion's, so that a run is compared with the last one on the same adapter.
pub fn criterion(machine: &Machine) -> Criterion {
    let home = env::var_os("CRITERION_HOME").map_or_else(|| target().join("criterion"), PathBuf::from);
    Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .nresamples(2_000)
        .output_directory(&home.join(machine.folder()))
        .configure_from_args()
}

/// Where cargo builds.
fn target() -> PathBuf {
    PathBuf::from(env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}

/// Where the record goes: `HALOFOLD_RECORD`, or a file of the bench's name under the target directory.
pub fn record_path(bench: &str) -> PathBuf {
    let path = env::var_os("HALOFOLD_RECORD").map(PathBuf::from);
    path.unwrap_or_else(|| target().join("halofold").join(format!("{bench}.json")))
}

/// Writes the record of what was measured; nothing if nothing was, as in criterion's test mode.
pub fn write_record(machine: &Machine, rows: Vec<Row>, path: &PathBuf) {
    if rows.iter().all(|row| row.status == Status::Skipped) {
        return;
    }
    let text = Record::new(&machine.device, &machine.peak, rows).to_json().expect("a record is JSON");
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    }
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    eprintln!("record: {}", path.display());
}
