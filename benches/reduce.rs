//! Every rung of the ladder under criterion, by GPU time: `cargo bench --bench reduce`.
//!
//! One group for each operator, type and size, so that criterion's plots compare the rungs. Sizes go by what the adapter is;
//! `HALOFOLD_BENCH=full` takes them all, from 2^10 to 2^29. Every result is verified before it is timed, and the run leaves a
//! record (`HALOFOLD_RECORD=FILE`, by default `target/halofold/reduce.json`) for `halofold compare` and `halofold report`.
//! With `HALOFOLD_COLD=1` repetitions take copies of the input in turn, which no cache holds together.

mod common;

use std::cell::LazyCell;

use common::{Extent, Group, Machine};
use criterion::Throughput;
use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::ladder::RUNGS;
use halofold::reduce::reference::Expected;
use halofold_measure::{Dataset, Host, Job, Row, RungRun};

/// Operators and element types that are measured.
const PAIRS: [(Op, Element); 3] = [(Op::Sum, Element::F32), (Op::Sum, Element::I32), (Op::Max, Element::F32)];

/// Lengths as powers of two.
const fn powers(extent: Extent) -> &'static [u32] {
    match extent {
        Extent::Software => &[12, 18],
        Extent::Gpu => &[16, 20, 24, 28],
        Extent::Full => &[10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 29],
    }
}

fn main() {
    let machine = Machine::open();
    let path = common::record_path("reduce", &machine);
    let mut rows = Vec::new();
    let mut criterion = common::criterion(&machine);
    for (op, element) in PAIRS {
        for power in powers(machine.extent()) {
            let len = 1u64 << power;
            let bytes = len * element.size();
            let title = machine.title(&format!("{op}/{element}/2^{power}"));
            let copies = match copies(&machine, bytes) {
                Ok(copies) => copies,
                Err(reason) => {
                    common::skip(&title, &reason);
                    continue;
                }
            };
            let data = LazyCell::new(|| data(&machine, op, element, len, copies));
            let mut group = Group::new(&mut criterion, &title);
            group.throughput(Throughput::BytesDecimal(bytes));
            for rung in RUNGS {
                let job = Job::new(rung, op, element, &machine.device.limits(), len);
                rows.extend(bench(&mut group, &machine, job.expect("the pairs are defined"), len, &data));
            }
        }
    }
    criterion.final_summary();
    let timed = rows.iter().any(|row: &Row| row.times.median.is_some());
    common::write_record(&machine, &path, timed, |record| record.rows = rows);
}

/// Number of copies of an input of so many bytes that are taken in turn; a reason if not even one fits, or not enough.
fn copies(machine: &Machine, bytes: u64) -> Result<u64, String> {
    let most = machine.device.limits().max_buffer_size;
    if bytes > most {
        return Err(format!("needs a buffer of {bytes} bytes, max_buffer_size is {most}"));
    }
    machine.inputs.copies(&machine.device, bytes).map_err(|error| error.to_string())
}

/// Elements on the GPU, as often as repetitions take turns, and the result of their reduction.
fn data(machine: &Machine, op: Op, element: Element, len: u64, copies: u64) -> (Dataset, Expected) {
    let host = Host::generate(op, element, len);
    let expected = host.expected(op, len).expect("the pairs are defined");
    (Dataset::upload(&machine.device, &machine.queue, &host, copies), expected)
}

/// Runs one rung under criterion.
fn bench<F: FnOnce() -> (Dataset, Expected)>(
    group: &mut Group<'_>,
    machine: &Machine,
    job: Job,
    len: u64,
    data: &LazyCell<(Dataset, Expected), F>,
) -> Option<Row> {
    let make = || {
        let (data, expected) = &**data;
        RungRun::new(&machine.device, job, data.input(len), &data.copies(), expected)
    };
    let measured = machine.meter().rung(group, job, len, make);
    group.row(job.rung.name(), measured.expect("the device keeps working"), |row| {
        let (gb_per_s, percent) = (row.figures.gb_per_s?, row.figures.percent_of_read_peak?);
        Some(format!("{gb_per_s:.3} GB/s, {percent:.1} % of the read peak"))
    })
}
