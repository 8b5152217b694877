//! Times on the host: until a number has been read back, and of recording.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use halofold::read::{Mailbox, Readback};
use halofold::reduce::{Op, Prepared, Reducer};
use halofold::{Element, wgpu};
use halofold_measure::{LibraryWork, Row, Summary, Timing};

use crate::calls;
use crate::cases::{Case, Task};
use crate::common::Machine;
use crate::exact::Data;
use crate::expected::Expected;
use crate::pool::Pools;

/// Calls that count, the last ones.
const CALLS: usize = 2000;

/// The fewest that say anything: criterion's test mode makes one.
const FEWEST: usize = 10;

/// Calls recorded into one pass, to find the time of one.
const RECORDED: u32 = 100;

/// All of it. Ways back to the host first: behind the recording bench, wgpu takes twice as long for a submission.
pub fn bench(criterion: &mut Criterion, machine: &Machine) -> Vec<Row<LibraryWork>> {
    let pools = Pools::new(machine, Element::F32, Data::Small, 0);
    let scalars = [10, 20].map(|power| {
        let case = Case {
            op: Op::Sum,
            element: Element::F32,
            n: 1 << power,
            task: Task::Whole,
            ways: &[],
            data: Data::Small,
        };
        (power, Scalar::new(machine, &case, &pools))
    });
    let mut rows = Vec::new();
    for (power, scalar) in &scalars {
        let bytes = 4 << power;
        let mut group = criterion.benchmark_group(title(machine, "scalar", *power));
        group.sampling_mode(SamplingMode::Flat).throughput(Throughput::BytesDecimal(bytes));
        let ways: Ways<'_> =
            &[("halofold-mailbox", &|| scalar.by_mailbox()), ("halofold-readback", &|| scalar.by_readback())];
        rows.extend(each(machine, group, ("scalar", 1 << power, Some(bytes)), ways));
    }
    let (power, scalar) = &scalars[0];
    let group = criterion.benchmark_group(title(machine, "recording", *power));
    let ways: Ways<'_> = &[("halofold", &|| scalar.record()), ("halofold-submit", &|| scalar.submit())];
    rows.extend(each(machine, group, ("recording", 1 << power, None), ways));
    rows
}

/// Ways to do something once, with their names.
type Ways<'a> = &'a [(&'a str, &'a dyn Fn() -> Duration)];

fn title(machine: &Machine, shape: &str, power: u32) -> String {
    machine.title(&format!("library/sum/{shape}/f32/2^{power}"))
}

/// Runs some ways under criterion: a row for each, unless a filter or criterion's test mode left it unmeasured.
fn each(
    machine: &Machine,
    mut group: BenchmarkGroup<'_, WallTime>,
    (shape, n, bytes): (&str, u64, Option<u64>),
    ways: Ways<'_>,
) -> Vec<Row<LibraryWork>> {
    let measured = ways.iter().filter_map(|(name, once)| {
        let mut row = Row::<LibraryWork>::blank(name, ["sum", shape, "f32"], n, None, &machine.info);
        row.set_times(single(name, &mut group, once)?, Timing::Wall);
        if let Some(bytes) = bytes {
            row.set_rate(bytes, None);
        }
        Some(row)
    });
    let rows = measured.collect();
    group.finish();
    rows
}

/// Times of single calls.
fn single(
    name: &str,
    group: &mut BenchmarkGroup<'_, WallTime>,
    once: &dyn Fn() -> Duration,
) -> Option<Summary> {
    let took = RefCell::new(Vec::new());
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|repeats| {
            let all = (0..repeats).map(|_| once()).inspect(|time| took.borrow_mut().push(*time));
            all.sum()
        });
    });
    let took = took.into_inner();
    let last = &took[took.len().saturating_sub(CALLS)..];
    let ms: Vec<f64> = last.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    let summary = Summary::of(&ms).filter(|_| ms.len() >= FEWEST)?;
    eprintln!("    median of {}: {:.3} µs\n", ms.len(), 1e3 * summary.median);
    Some(summary)
}

/// A sum, on its way to the host in two ways.
struct Scalar<'a> {
    machine: &'a Machine,
    output: wgpu::Buffer,
    readback: Readback,
    read: Prepared,
    mailbox: Mailbox,
    posted: Prepared,
    expected: Expected,
}

/// Bytes of the sum.
const SIZE: u64 = 4;

impl<'a> Scalar<'a> {
    fn new(machine: &'a Machine, case: &Case, pools: &Pools<'_>) -> Self {
        let device = &machine.device;
        let monoid = case.op.over(case.element).expect("floats have a sum");
        let reducer = Reducer::new(device, monoid);
        let reducer = reducer.unwrap_or_else(|error| panic!("{error}"));
        let input = pools.first.input(case.n, 0);
        let (output, mailbox) = (calls::output(device, SIZE), Mailbox::new(device, SIZE));
        let [read, posted] = [&output, mailbox.buffer()]
            .map(|buffer| reducer.of(input).into(buffer).unwrap_or_else(|error| panic!("{error}")));
        let readback = Readback::new(device, SIZE);
        Scalar { machine, output, readback, read, mailbox, posted, expected: Expected::of(case, pools, 0) }
    }

    /// From recording to the number, for a host that keeps asking.
    fn by_mailbox(&self) -> Duration {
        let start = Instant::now();
        let mut encoder = self.encoder();
        self.posted.encode(&mut encoder);
        self.mailbox.encode(&mut encoder).expect("a mailbox fits itself");
        self.machine.queue.submit([encoder.finish()]);
        let got = self.mailbox.spin().expect("the device keeps working");
        self.checked(start.elapsed(), &got)
    }

    /// The same for a host that sleeps until it is called.
    fn by_readback(&self) -> Duration {
        let start = Instant::now();
        let mut encoder = self.encoder();
        self.read.encode(&mut encoder);
        self.readback.encode(&mut encoder, &self.output, 0, SIZE).expect("the sum fits");
        self.machine.queue.submit([encoder.finish()]);
        let got = self.readback.wait(SIZE).expect("the device keeps working");
        self.checked(start.elapsed(), &got)
    }

    fn checked(&self, took: Duration, got: &[u8]) -> Duration {
        self.expected.check(0, got).unwrap_or_else(|error| panic!("a scalar: {error}"));
        took
    }

    /// One of many calls in a pass, until their commands are finished: the processor's time.
    fn record(&self) -> Duration {
        let mut encoder = self.encoder();
        let start = Instant::now();
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for _ in 0..RECORDED {
            self.read.encode_in_pass(&mut pass);
        }
        drop(pass);
        let commands = encoder.finish();
        let took = start.elapsed();
        self.finish(commands);
        took / RECORDED
    }

    /// Finishing and submitting the commands of one call.
    fn submit(&self) -> Duration {
        let mut encoder = self.encoder();
        self.read.encode(&mut encoder);
        let start = Instant::now();
        self.machine.queue.submit([encoder.finish()]);
        let took = start.elapsed();
        self.finish(self.encoder().finish());
        took
    }

    /// Waits until the GPU has done everything, so that nothing piles up.
    fn finish(&self, commands: wgpu::CommandBuffer) {
        self.machine.queue.submit([commands]);
        self.machine.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device keeps working");
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.machine.device.create_command_encoder(&Default::default())
    }
}
