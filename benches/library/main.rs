//! The library's own operations under criterion, as an application calls them: `cargo bench --bench library`.
//!
//! One group for each operator, shape, type and size. `halofold` is what a call takes among many independent ones that an
//! application records into one pass, each with an output and a workspace of its own; `halofold-chained` among calls that share
//! both, so that each waits for the one before. One repetition is a pass of many different calls: wgpu puts a barrier
//! wherever a pass writes a buffer again, and the same call twice would be two that wait for one another. In front of each pass,
//! uncounted, other memory is read than the inputs': they come from memory however small they are, `HALOFOLD_COLD` or not.
//!
//! Two groups go by the host's clock: `scalar`, from recording to the number on the host, and `recording`, the processor's part.
//!
//! Every result is verified before it is timed. Sizes go by what the adapter is: up to 2^28 elements, on a software adapter
//! 2^16. The run leaves a record (`HALOFOLD_RECORD=FILE`, by default `target/halofold/library.json`), as
//! `halofold-cuda library` of `peers/cuda` does for CUB.

#[path = "../common/mod.rs"]
mod common;

mod calls;
mod cases;
mod expected;
mod histograms;
mod host;
mod pool;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use halofold_measure::{LibraryWork, Row};

use calls::{Calls, Sweep};
use cases::Case;
use common::Machine;
use pool::Pools;

fn main() {
    let machine = Machine::open();
    let path = common::record_path("library", &machine);
    let mut criterion = common::criterion(&machine);
    // First of all: wgpu's own work for a submission grows with the number of buffers that exist.
    let host = host::bench(&mut criterion, &machine);
    let sweep = Sweep::new(&machine);
    let mut rows = Vec::new();
    let all = cases::all(&machine);
    for cases in all.chunk_by(|a, b| a.element == b.element) {
        let longest = cases::longest(cases, &machine.device);
        let pools = Pools::new(&machine, cases[0].element, longest);
        for case in cases {
            rows.extend(bench(&mut criterion, &machine, &sweep, case, &pools));
        }
    }
    rows.extend(histograms::bench(&mut criterion, &machine, &sweep));
    rows.extend(host);
    criterion.final_summary();
    let timed = rows.iter().any(|row| row.times.median.is_some());
    common::write_record(&machine, &path, timed, |record| record.library = rows);
}

/// A case in all its ways.
fn bench(
    criterion: &mut Criterion,
    machine: &Machine,
    sweep: &Sweep,
    case: &Case,
    pools: &Pools<'_>,
) -> Vec<Row<LibraryWork>> {
    let title = machine.title(&case.title());
    let mut group = group(criterion, &title, case.bytes());
    let runnable = case.runnable(&machine.device);
    if let Err(reason) = &runnable {
        common::skip(&title, reason);
    }
    let rows = case.ways.iter().filter_map(|way| {
        let results = case.task.results(case.n);
        let mut row = Row::<LibraryWork>::blank(way.name, case.work(), case.n, results, &machine.info);
        match &runnable {
            Ok(()) => {
                let make = || Calls::of(machine, case, *way, pools);
                measure(&mut group, machine, sweep, &mut row, case.bytes(), make)?;
            }
            Err(reason) => row.reason = Some(reason.to_string()),
        }
        Some(row)
    });
    let rows = rows.collect();
    group.finish();
    rows
}

/// A group of criterion's for calls that read so many bytes.
fn group<'a>(criterion: &'a mut Criterion, title: &str, bytes: u64) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(title);
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::BytesDecimal(bytes));
    group
}

/// Runs some calls under criterion and writes their times into the row; `None` if a filter or criterion's test mode left them
/// unmeasured.
fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    machine: &Machine,
    sweep: &Sweep,
    row: &mut Row<LibraryWork>,
    bytes: u64,
    make: impl Fn() -> Calls,
) -> Option<()> {
    let time = |calls: &Calls, repeats| calls.time(machine, sweep, repeats);
    let (_, summary, timing) = common::bench(group, machine, &row.what.name, make, time)?;
    row.set_times(summary, timing);
    row.set_rate(bytes, Some(machine.peak.read_gb_per_s));
    if let (Some(gb_per_s), Some(percent)) = (row.figures.gb_per_s, row.figures.percent_of_read_peak) {
        let timing = timing.name();
        eprintln!("    {gb_per_s:.3} GB/s, {percent:.1} % of the read peak ({timing} time)\n");
    }
    Some(())
}
