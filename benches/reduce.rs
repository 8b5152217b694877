//! Every rung of the ladder under criterion, by GPU time: `cargo bench --bench reduce`.
//!
//! One group for each operator, type and size, so that criterion's plots compare the rungs. Sizes go by what the adapter is;
//! `HALOFOLD_BENCH=full` takes them all, from 2^10 to 2^29. Every result is verified before it is timed, and the run leaves a
//! record (`HALOFOLD_RECORD=FILE`, by default `target/halofold/reduce.json`) for `halofold compare` and `halofold report`.
//! With `HALOFOLD_COLD=1` repetitions take copies of the input in turn, which no cache holds together.

mod common;

use std::cell::LazyCell;

use common::{Extent, Group, Machine, skip};
use criterion::Criterion;
use halofold::ladder::RUNGS;
use halofold::reduce::Op;
use halofold::{Element, wgpu};
use halofold_measure::{Dataset, Host, Job, Row, RungRun};

/// Operators and element types that are measured.
const PAIRS: [(Op, Element); 3] = [(Op::Sum, Element::F32), (Op::Sum, Element::I32), (Op::Max, Element::F32)];

fn main() {
    common::run("reduce", bench, |record, rows| record.rows = rows);
}

/// Measures all rungs over the same elements, as often as repetitions take turns.
fn bench(criterion: &mut Criterion, machine: &Machine) -> Vec<Row> {
    let (device, meter) = (&machine.device, machine.meter());
    let powers: &[u32] = match machine.extent {
        Extent::Software => &[12, 18],
        Extent::Gpu => &[16, 20, 24, 28],
        Extent::Full => &[10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 29],
    };
    let mut rows = Vec::new();
    for ((op, element), power) in
        PAIRS.into_iter().flat_map(|pair| powers.iter().map(move |power| (pair, power)))
    {
        let len = 1u64 << power;
        let bytes = len * element.size();
        let title = machine.title(&format!("{op}/{element}/2^{power}"), '/');
        let copies = || machine.inputs.copies(device, bytes).map_err(|error| error.to_string());
        let copies = machine.runnable(wgpu::Features::empty(), bytes).and_then(|()| copies());
        let Ok(copies) = copies.inspect_err(|reason| skip(&title, reason)) else { continue };
        let data = LazyCell::new(|| {
            let host = Host::generate(op, element, len);
            let expected = host.expected(op, len).expect("the pairs are defined");
            (Dataset::upload(device, &machine.queue, &host, copies), expected)
        });
        let mut group = Group::new(criterion, &title, Some(bytes));
        rows.extend(RUNGS.iter().filter_map(|rung| {
            let job = Job::new(rung, op, element, &device.limits(), len).expect("the pairs are defined");
            let measured = meter.rung(&mut group, job, len, || {
                let (data, expected) = &*data;
                RungRun::new(device, job, data.input(len), &data.copies(), expected)
            });
            group.row(rung.name(), measured, |row| (row.gb_per_s, "GB/s", row.percent_of_read_peak, "read"))
        }));
    }
    rows
}
