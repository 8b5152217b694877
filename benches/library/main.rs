//! The library's own operations under criterion, as an application calls them: `cargo bench --bench library`.
//!
//! One group for each operator, shape, type and size. `halofold` is what a call takes among many independent ones that an
//! application records into one pass, each with an output and a workspace of its own, and `halofold-exact` the same of exact sums;
//! `halofold-chained` among calls that share both, so that each waits for the one before. One repetition is a pass of many different calls: wgpu puts a barrier
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
mod exact;
mod expected;
mod groups;
mod histograms;
mod host;
mod pool;
mod pyramids;
mod ranks;
mod runs;
mod textures;

use criterion::{Criterion, Throughput};
use halofold_measure::{LibraryWork, MeasureError, Row};

use calls::{Calls, Sweep};
use cases::Case;
use common::{Group, Machine};
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
    for cases in all.chunk_by(|a, b| (a.element, a.data) == (b.element, b.data)) {
        let longest = cases::longest(cases, &machine.device);
        let pools = Pools::new(&machine, cases[0].element, cases[0].data, longest);
        for case in cases {
            rows.extend(bench(&mut criterion, &machine, &sweep, case, &pools));
        }
    }
    rows.extend(histograms::bench(&mut criterion, &machine, &sweep));
    rows.extend(groups::bench(&mut criterion, &machine, &sweep));
    rows.extend(ranks::bench(&mut criterion, &machine, &sweep));
    rows.extend(runs::bench(&mut criterion, &machine, &sweep));
    rows.extend(textures::bench(&mut criterion, &machine, &sweep));
    rows.extend(pyramids::bench(&mut criterion, &machine, &sweep));
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
    let mut group = Group::new(criterion, &title);
    let runnable = case.runnable(&machine.device);
    let rows = case.ways.iter().filter_map(|way| {
        let results = case.task.results(case.n);
        let row = Row::<LibraryWork>::blank(way.name, case.work(), case.n, results, &machine.info);
        match &runnable {
            Ok(()) => measure(&mut group, machine, row, case.bytes(), || {
                Calls::of(&machine.device, sweep, case, *way, pools)
            }),
            Err(reason) => Some(Row { reason: Some(reason.clone()), ..row }),
        }
    });
    if let Err(reason) = &runnable {
        common::skip(&title, reason);
    }
    rows.collect()
}

/// Measures calls that read this many bytes; `None` if a filter or criterion's test mode left them out.
fn measure<'s>(
    group: &mut Group<'_>,
    machine: &Machine,
    row: Row<LibraryWork>,
    bytes: u64,
    make: impl FnOnce() -> Result<Calls<'s>, MeasureError>,
) -> Option<Row<LibraryWork>> {
    group.throughput(Throughput::BytesDecimal(bytes));
    let name = row.what.name.clone();
    let measured = machine.meter().measure(group, &name, row, make);
    group.row(&name, measured.expect("the device keeps working"), |row| {
        let (gb_per_s, percent) = (row.figures.gb_per_s?, row.figures.percent_of_read_peak?);
        Some(format!("{gb_per_s:.3} GB/s, {percent:.1} % of the read peak"))
    })
}
