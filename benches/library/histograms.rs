//! Histograms of numbers: spread evenly, or all the same.

use std::cell::LazyCell;

use criterion::Criterion;
use halofold::histogram::{Histogram, Keys, reference};
use halofold::reduce::Op;
use halofold::{Element, wgpu};
use halofold_measure::{LibraryWork, Noise, Row};

use crate::calls::{self, Call, Calls, Sweep, Way};
use crate::common::{self, Extent, Machine};
use crate::expected::Expected;
use crate::pool::{PERIOD, Pool};

/// Bytes of a key, and of a count.
const WORD: u64 = 4;

/// All of them.
pub fn bench(criterion: &mut Criterion, machine: &Machine, sweep: &Sweep) -> Vec<Row<LibraryWork>> {
    let power = if machine.extent() == Extent::Software { 16 } else { 28 };
    let n = 1u64 << power;
    let mut rows = Vec::new();
    for (bins, kind) in [256, 65_536].into_iter().flat_map(|bins| [(bins, "random"), (bins, "equal")]) {
        let op = format!("histogram-{bins}");
        let title = machine.title(&format!("library/{op}/{kind}/u32/2^{power}"));
        let most = machine.device.limits().max_buffer_size;
        if WORD * n > most {
            common::skip(&title, &format!("needs a buffer of {} bytes, max_buffer_size is {most}", WORD * n));
            continue;
        }
        let mut group = super::group(criterion, &title, WORD * n);
        let pool = LazyCell::new(|| Pool::new(machine, keys(bins, kind), WORD, n));
        for way in [Way::INDEPENDENT, Way::CHAINED] {
            let mut row = Row::<LibraryWork>::blank(way.name, [&op, kind, "u32"], n, None, &machine.info);
            let make = || calls(machine, way, bins, n, &pool);
            let measured = super::measure(&mut group, machine, sweep, &mut row, WORD * n, make);
            rows.extend(measured.map(|()| row));
        }
        group.finish();
    }
    rows
}

/// One period of keys.
fn keys(bins: u32, kind: &str) -> Vec<u8> {
    let noise = Noise::new(Op::Sum, Element::U32, 2 * PERIOD);
    let key = |at| if kind == "random" { noise.word(at) as u32 % bins } else { bins / 3 };
    (0..PERIOD as usize).flat_map(|at| key(at).to_le_bytes()).collect()
}

/// The calls in one way, whose counts were right.
fn calls(machine: &Machine, way: Way, bins: u32, n: u64, pool: &Pool) -> Calls {
    let device = &machine.device;
    let fine = |error: String| -> ! { panic!("a histogram of {bins} bins, {}: {error}", way.name) };
    let histogram = Histogram::new(device, Keys::Numbers, bins);
    let histogram = histogram.unwrap_or_else(|error| fine(error.to_string()));
    let size = histogram.job().output();
    let count = calls::count(machine, WORD * n, size);
    let own = if way == Way::CHAINED { 1 } else { count };
    let outputs: Vec<_> = (0..own).map(|_| calls::output(device, size)).collect();
    let some = (0..count).map(|number| {
        let output = &outputs[(number % own) as usize];
        let prepared = histogram.of(pool.input(n, number)).into(output);
        let prepared = prepared.unwrap_or_else(|error| fine(error.to_string()));
        Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass)) as Call
    });
    let some = Calls(some.collect());
    some.run(machine);
    let whose: Vec<_> = if own == 1 { vec![(count - 1, &outputs[0])] } else { (0..).zip(&outputs).collect() };
    let expected = |number| {
        let (keys, times) = pool.repeated(pool.start(n, number), n);
        let mut counts = reference::counts(Keys::Numbers, bins, &bytemuck::pod_collect_to_vec(keys));
        counts.iter_mut().for_each(|count| *count *= times as u32);
        Expected::Bytes(bytemuck::cast_slice(&counts).to_vec())
    };
    calls::verify(device, &machine.queue, &whose, size, expected).unwrap_or_else(|error| fine(error));
    some
}
