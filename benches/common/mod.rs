//! Parts that all benches of halofold share: an open adapter, its ceiling, benchmarks by its clock, and the record.

mod group;
mod machine;
mod record;
mod samples;

pub use group::Group;
pub use machine::{Extent, Machine};
pub use record::{record_path, write_record};

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use criterion::Criterion;

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

/// Cargo's target directory.
fn target() -> PathBuf {
    PathBuf::from(env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}

/// Prints the reason why something is not measured.
pub fn skip(name: &str, reason: &str) {
    eprintln!("{name}: skipped ({reason})");
}
