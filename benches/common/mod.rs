//! What every bench of halofold needs: an open adapter, its ceiling, benchmarks by its clock, and the record.

mod machine;
mod record;
mod samples;

pub use machine::{Extent, Machine};
pub use record::{record_path, write_record};

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use halofold_measure::{MeasureError, Summary, Timing};
use samples::Samples;

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

/// Runs one benchmark under criterion: what was timed and its times, unless a filter or criterion's test mode left it unmeasured.
///
/// `make` compiles and verifies; it runs only if criterion runs the benchmark. `time` says what so many repetitions took.
pub fn bench<T>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    machine: &Machine,
    name: &str,
    make: impl Fn() -> T,
    time: impl Fn(&T, u64) -> Result<(Duration, Timing), MeasureError>,
) -> Option<(T, Summary, Timing)> {
    let mut samples = Samples::default();
    let mut made = None;
    group.bench_function(machine.timer.timing().mark(name), |bencher| {
        let made = made.get_or_insert_with(&make);
        bencher.iter_custom(|repeats| {
            let (took, timing) = time(made, repeats).expect("the device keeps working");
            samples.keep(repeats, took, timing);
            took
        });
    });
    let (summary, timing) = samples.measured()?;
    Some((made?, summary, timing))
}

/// Says that something will not be measured, and why.
pub fn skip(name: &str, reason: &str) {
    eprintln!("{name}: skipped ({reason})");
}
