//! What the host sees: how long until a number is there, and how long a processor is busy with recording.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use criterion::Criterion;
use halofold::measure::{LibraryRow, Summary, Timing};
use halofold::read::{Mailbox, Readback};
use halofold::reduce::Output;
use halofold::reducer::{Op, Prepared, Reducer, Shape, Source, Workspace};
use halofold::{Element, wgpu};

use crate::calls;
use crate::cases::{Case, Task};
use crate::expected::Expected;
use crate::pool::Pools;
use crate::shared::Machine;

/// Calls that count, the last ones.
const CALLS: usize = 2000;

/// The fewest that say anything: criterion's test mode makes one.
const FEWEST: usize = 10;

/// Calls recorded into one pass, to see what one of them takes.
const RECORDED: u32 = 100;

/// All of it.
pub fn bench(criterion: &mut Criterion, machine: &Machine) -> Vec<LibraryRow> {
    let pools = Pools::new(machine, Element::F32, 0);
    let mut rows = Vec::new();
    for power in [10, 20] {
        let case = Case { op: Op::Sum, element: Element::F32, n: 1 << power, task: Task::Whole, ways: &[] };
        let scalar = Scalar::new(machine, &case, &pools);
        let bytes = case.bytes();
        let mut group = super::group(criterion, &title(machine, "scalar", power), bytes);
        let mut bench = |name: &str, once: &dyn Fn() -> Duration| {
            let mut row = blank(machine, name, "scalar", case.n);
            rows.extend(each(name, &mut group, once).map(|ms| {
                row.set_times(ms, Timing::Wall);
                row.set_rate(bytes, None);
                row
            }));
        };
        bench("halofold-mailbox", &|| scalar.by_mailbox());
        bench("halofold-readback", &|| scalar.by_readback());
        group.finish();
        if power == 10 {
            let mut group = criterion.benchmark_group(title(machine, "recording", power));
            for (name, once) in [
                ("halofold", &(|| scalar.record()) as &dyn Fn() -> Duration),
                ("halofold-submit", &|| scalar.submit()),
            ] {
                let mut row = blank(machine, name, "recording", case.n);
                rows.extend(each(name, &mut group, once).map(|ms| {
                    row.set_times(ms, Timing::Wall);
                    row
                }));
            }
            group.finish();
        }
    }
    rows
}

fn title(machine: &Machine, shape: &str, power: u32) -> String {
    machine.title(&format!("library/sum/{shape}/f32/2^{power}"))
}

fn blank(machine: &Machine, name: &str, shape: &str, n: u64) -> LibraryRow {
    LibraryRow::blank(name, ["sum", shape, "f32"], n, None, &machine.info)
}

/// Runs something under criterion: what single calls of it take, unless a filter or criterion's test mode left it unmeasured.
fn each(
    name: &str,
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
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
        let reducer = Reducer::new(device, monoid, Shape::Whole.form());
        let reducer = reducer.unwrap_or_else(|error| panic!("{error}"));
        let input = pools.first.input(case.n, 0);
        let prepared = |buffer: &wgpu::Buffer| {
            let extent = halofold::reducer::Extent { offset: input.offset, len: input.len };
            let plan = reducer.plan(Shape::Whole, &[extent], None)?;
            let workspace = Workspace::new(device, &plan);
            let output = Output { buffer, offset: 0 };
            reducer.prepare(device, Source::of(&[input]), Shape::Whole, output, &workspace)
        };
        let (output, mailbox) = (calls::output(device, SIZE), Mailbox::new(device, SIZE));
        let read = prepared(&output).unwrap_or_else(|error| panic!("{error}"));
        let posted = prepared(mailbox.buffer()).unwrap_or_else(|error| panic!("{error}"));
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
        let got = self.mailbox.spin(&self.machine.device).expect("the device keeps working");
        self.checked(start.elapsed(), &got)
    }

    /// The same for a host that sleeps until it is called.
    fn by_readback(&self) -> Duration {
        let start = Instant::now();
        let mut encoder = self.encoder();
        self.read.encode(&mut encoder);
        self.readback.encode(&mut encoder, &self.output, 0, SIZE).expect("the sum fits");
        self.machine.queue.submit([encoder.finish()]);
        let got = self.readback.wait(&self.machine.device, SIZE).expect("the device keeps working");
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
