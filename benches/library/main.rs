//! The library's own operations under criterion, as an application calls them: `cargo bench --bench library`.
//!
//! One group per operator, shape, type and size. `halofold` times one of many independent calls in one pass, each with its own output and
//! workspace, `halofold-exact` the same of exact sums, and `halofold-chained` calls that share both, so that each waits for the one before.
//! One repetition is a pass of many different calls: wgpu puts a barrier wherever a pass writes a buffer again. Before each pass, uncounted,
//! other memory is read: inputs are cold however small they are, `HALOFOLD_COLD` or not.
//!
//! Two groups go by the host's clock: `scalar`, from recording to the number on the host, and `recording`, the processor's part.
//!
//! Every result is verified before it is timed. Sizes reach 2^28 elements, on a software adapter 2^16. The record (`HALOFOLD_RECORD=FILE`, by default
//! `target/halofold/library.json`) is like that of `halofold-cuda library` in `peers/cuda` for CUB. Rows are those of [`halofold_cases::timed`].

#[path = "../common/mod.rs"]
mod common;

mod calls;
mod host;
mod pool;

use criterion::Criterion;
use halofold_cases::timed::{Call, Timed, Way, timed};
use halofold_measure::{LibraryWork, MeasureError, Row};

use calls::{Calls, Known};
use common::{Extent, Group, Machine};
use pool::Pools;

fn main() {
    common::run(
        "library",
        |criterion, machine| {
            // First of all: wgpu's own work for a submission grows with the number of buffers that exist.
            let host = host::bench(criterion, machine).unwrap_or_else(|error| panic!("on the host: {error}"));
            let sweep = calls::sweep(machine).unwrap_or_else(|error| panic!("the sweep: {error}"));
            let (mut pools, mut rows) = (Pools::default(), Vec::new());
            for row in timed(machine.extent == Extent::Software).into_iter().flatten() {
                rows.extend(bench(&row, criterion, machine, &sweep, &mut pools));
                drop(row);
                pools.drop_unused();
            }
            rows.extend(host);
            rows
        },
        |record, rows| record.library = rows,
    );
}

/// Measures all ways of a row. There is none of a way that a filter or criterion's test mode left out.
fn bench(
    row: &Timed,
    criterion: &mut Criterion,
    machine: &Machine,
    sweep: &Call,
    pools: &mut Pools,
) -> Vec<Row<LibraryWork>> {
    let results = row.results.map_or(String::new(), |results| format!("/{results}"));
    let title = machine.title(&format!("library/{}/{}{results}", row.work.join("/"), row.size), '/');
    let (work, info) = (row.work.each_ref().map(String::as_str), machine.device.adapter_info());
    let blank = |way: Way| Row::<LibraryWork>::blank(way, work, row.n, row.results, &info);
    let size = row.bytes / row.inputs.len().max(1) as u64;
    if let Err(reason) = machine.runnable(row.features, size) {
        common::skip(&title, &reason);
        let skipped = |way: &Way| Row { reason: Some(reason.clone()), ..blank(*way) };
        return row.ways.iter().map(skipped).collect();
    }
    let mut known = Known::default();
    let mut group = Group::new(criterion, &title, Some(row.bytes));
    let measured = row.ways.iter().filter_map(|&way| {
        let measured = machine.meter().measure(&mut group, way, blank(way), || {
            let calls = Calls::new(machine, sweep, (row, &pools.of(machine, row)), way, &mut known);
            calls.map_err(|error| MeasureError::Device(error.to_string()))
        });
        group.row(way, measured, |row| (row.gb_per_s, "GB/s", row.percent_of_read_peak, "read"))
    });
    measured.collect()
}
