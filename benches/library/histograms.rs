//! Histograms of numbers: spread evenly, or all the same.

use std::cell::LazyCell;

use criterion::Criterion;
use halofold::histogram::{Histogram, Keys, reference};
use halofold::reduce::Op;
use halofold::{Element, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Row, TestData};

use crate::calls::{Call, Calls, Sweep, Way};
use crate::common::{self, Extent, Group, Machine};
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
        let mut group = Group::new(criterion, &title);
        let pool = LazyCell::new(|| Pool::new(machine, keys(bins, kind), WORD, n));
        rows.extend([Way::INDEPENDENT, Way::CHAINED].into_iter().filter_map(|way| {
            let row = Row::<LibraryWork>::blank(way.name, [&op, kind, "u32"], n, None, &machine.info);
            let make = || calls(&machine.device, sweep, way, bins, n, &pool);
            super::measure(&mut group, machine, row, WORD * n, make)
        }));
    }
    rows
}

/// One period of keys.
fn keys(bins: u32, kind: &str) -> Vec<u8> {
    let data = TestData::new(Op::Sum, Element::U32, 2 * PERIOD);
    let key = |at| if kind == "random" { data.word(at) as u32 % bins } else { bins / 3 };
    (0..PERIOD as usize).flat_map(|at| key(at).to_le_bytes()).collect()
}

/// The calls in one way.
fn calls<'s>(
    device: &wgpu::Device,
    sweep: &'s Sweep,
    way: Way,
    bins: u32,
    n: u64,
    pool: &Pool,
) -> Result<Calls<'s>, MeasureError> {
    let histogram = Histogram::new(Keys::Numbers, bins, &device.limits())
        .on(device)
        .unwrap_or_else(|error| panic!("{error}"));
    let call = |number, output: &wgpu::Buffer, _: &mut Option<()>| {
        let prepared = histogram.of(pool.input(n, number)).into(output);
        let prepared = prepared.unwrap_or_else(|error| panic!("{error}"));
        Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass)) as Call)
    };
    let expected = |number, _| {
        let (keys, times) = pool.repeated(pool.start(n, number), n);
        let mut counts = reference::counts(&Keys::Numbers, bins, &bytemuck::pod_collect_to_vec(keys));
        counts.iter_mut().for_each(|count| *count *= times as u32);
        Expected::Bytes(bytemuck::cast_slice(&counts).to_vec())
    };
    Calls::new(device, sweep, way, [WORD * n, histogram.config().output()], call, expected)
}
