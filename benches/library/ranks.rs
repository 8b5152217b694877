//! Order statistics of rows of 1024 elements: the 32 largest with their indices, and medians.

use std::cell::LazyCell;

use criterion::Criterion;
use halofold::rank::{Method, Quantiles, TopK, reference};
use halofold::reduce::Op;
use halofold::{Element, Value, wgpu};
use halofold_measure::{LibraryWork, MeasureError, Row, TestData};

use crate::calls::{Call, Calls, Sweep, Way};
use crate::common::{self, Extent, Group, Machine};
use crate::expected::Expected;
use crate::pool::{PERIOD, Pool};

/// Bytes of an element, and of an index.
const WORD: u64 = 4;

/// Elements of a row.
const ROW: u64 = 1024;

/// The number of largest elements; medians if none.
const TASKS: [(&str, Option<u32>); 2] = [("median", None), ("top-32", Some(32))];

/// All of them.
pub fn bench(criterion: &mut Criterion, machine: &Machine, sweep: &Sweep) -> Vec<Row<LibraryWork>> {
    let power = if machine.extent() == Extent::Software { 16 } else { 28 };
    let n = 1u64 << power;
    let mut rows = Vec::new();
    for ((name, top), kind) in TASKS.into_iter().flat_map(|task| [(task, "uniform"), (task, "normal")]) {
        let op = format!("{name}-rows-{ROW}");
        let title = machine.title(&format!("library/{op}/{kind}/f32/2^{power}"));
        let most = machine.device.limits().max_buffer_size;
        if WORD * n > most {
            common::skip(&title, &format!("needs a buffer of {} bytes, max_buffer_size is {most}", WORD * n));
            continue;
        }
        let mut group = Group::new(criterion, &title);
        let pool = LazyCell::new(|| Pool::new(machine, elements(kind), WORD, n));
        rows.extend([Way::INDEPENDENT, Way::CHAINED].into_iter().filter_map(|way| {
            let row = Row::<LibraryWork>::blank(way.name, [&op, kind, "f32"], n, None, &machine.info);
            let make = || match top {
                Some(k) => winners(&machine.device, sweep, way, k, n, &pool),
                None => medians(&machine.device, sweep, way, n, &pool),
            };
            super::measure(&mut group, machine, row, WORD * n, make)
        }));
    }
    rows
}

/// One period of floats, in steps of 2^-16, so that the mean of two is exact.
fn elements(kind: &str) -> Vec<u8> {
    let data = TestData::new(Op::Sum, Element::U64, 12 * PERIOD);
    let unit = |at: usize| (data.word(at) >> 48) as f32 / 65_536.0;
    let element = |at: usize| match kind {
        "uniform" => unit(at),
        // The sum of twelve has nearly a normal distribution.
        _ => (0..12).map(|part| unit(12 * at + part)).sum::<f32>() - 6.0,
    };
    (0..PERIOD as usize).flat_map(|at| element(at).to_le_bytes()).collect()
}

fn bits(value: Value) -> [u8; 4] {
    (value.as_f64() as f32).to_le_bytes()
}

/// Medians in one way.
fn medians<'s>(
    device: &wgpu::Device,
    sweep: &'s Sweep,
    way: Way,
    n: u64,
    pool: &Pool,
) -> Result<Calls<'s>, MeasureError> {
    let median = Quantiles::new(Element::F32, [0.5]).and_then(|median| median.rows(ROW).on(device));
    let median = median.unwrap_or_else(|error| panic!("{error}"));
    let call = |number, output: &wgpu::Buffer, _: &mut Option<()>| {
        let prepared = median.of(pool.input(n, number)).into(output);
        let prepared = prepared.unwrap_or_else(|error| panic!("{error}"));
        Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass)) as Call)
    };
    let expected = |number, _| {
        let (elements, _) = pool.repeated(pool.start(n, number), n);
        let rows = elements.chunks((WORD * ROW) as usize);
        let median = |row: &[u8]| bits(reference::quantiles(Element::F32, row, Method::Linear, &[0.5])[0]);
        Expected::Bytes(rows.flat_map(median).collect())
    };
    Calls::new(device, sweep, way, [WORD * n, WORD * n / ROW], call, expected)
}

/// The largest elements in one way.
fn winners<'s>(
    device: &wgpu::Device,
    sweep: &'s Sweep,
    way: Way,
    k: u32,
    n: u64,
    pool: &Pool,
) -> Result<Calls<'s>, MeasureError> {
    let top = TopK::new(Element::F32, k).and_then(|top| top.rows(ROW).on(device));
    let top = top.unwrap_or_else(|error| panic!("{error}"));
    let values = top.config().indices_at(n);
    let call = |number, output: &wgpu::Buffer, _: &mut Option<()>| {
        let prepared = top.of(pool.input(n, number)).into(output);
        let prepared = prepared.unwrap_or_else(|error| panic!("{error}"));
        Ok(Box::new(move |pass: &mut wgpu::ComputePass<'_>| prepared.encode_in_pass(pass)) as Call)
    };
    let expected = |number, _| {
        let (elements, times) = pool.repeated(pool.start(n, number), n);
        let rows = elements.chunks((WORD * ROW) as usize);
        let ranked: Vec<_> =
            rows.flat_map(|row| reference::top(Element::F32, row, k as usize, false)).collect();
        let mut bytes: Vec<u8> = ranked.iter().flat_map(|(value, _)| bits(*value)).collect();
        let indices: Vec<u8> = ranked.iter().flat_map(|(_, index)| index.to_le_bytes()).collect();
        bytes = bytes.repeat(times as usize);
        bytes.extend(indices.repeat(times as usize));
        Expected::Bytes(bytes)
    };
    Calls::new(device, sweep, way, [WORD * n, 2 * values], call, expected)
}
