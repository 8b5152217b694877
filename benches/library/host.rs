//! Times on the host: until a number has been read back, and of recording.

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use halofold::read::{Mailbox, Readback};
use halofold::reduce::{Prepared, Reducer};
use halofold::{Element, wgpu};
use halofold_measure::{LibraryWork, Row, Summary, Timing};

use crate::calls::{self, Expected, Made, Way};
use crate::cases::{Case, Cut, Data};
use crate::common::{FEWEST, Group, Machine};
use crate::pool::{Pool, WORD};
use crate::reductions::{expected, inputs};

/// Calls that count, the last ones.
const CALLS: usize = 2000;

/// Calls recorded into one pass, to find the time of one.
const RECORDED: u32 = 100;

/// A way to do something once: its shape, its name, the length as a power of two, and its time.
type Once = (&'static str, &'static str, u32, fn(&Scalar) -> Duration);

/// All ways. Those back to the host first: behind the recording bench, wgpu takes twice as long for a submission.
const WAYS: [Once; 6] = [
    ("scalar", "halofold-mailbox", 10, Scalar::by_mailbox),
    ("scalar", "halofold-readback", 10, Scalar::by_readback),
    ("scalar", "halofold-mailbox", 20, Scalar::by_mailbox),
    ("scalar", "halofold-readback", 20, Scalar::by_readback),
    ("recording", "halofold", 10, Scalar::record),
    ("recording", "halofold-submit", 10, Scalar::submit),
];

/// Runs all ways under criterion: a row for each, unless a filter or criterion's test mode left it unmeasured.
pub fn bench(criterion: &mut Criterion, machine: &Machine) -> Vec<Row<LibraryWork>> {
    let [pool, _] = inputs(machine, Element::F32, Data::Small, 0);
    let scalar = |power| Scalar::new(machine, Case::sum(power, Cut::Whole, &[]), &pool);
    let scalars = [10, 20].map(|power| scalar(power).unwrap_or_else(|error| panic!("{error}")));
    let mut rows = Vec::new();
    for ways in WAYS.chunk_by(|a, b| (a.0, a.2) == (b.0, b.2)) {
        let (shape, _, power, _) = ways[0];
        let bytes = (shape == "scalar").then_some(WORD << power);
        let title = machine.title(&format!("library/sum/{shape}/f32/2^{power}"));
        let mut group = Group::new(criterion, &title);
        if let Some(bytes) = bytes {
            group.inner.throughput(Throughput::BytesDecimal(bytes));
        }
        for (_, name, _, once) in ways {
            let scalar = &scalars[usize::from(power > 10)];
            let Some(ms) = single(name, &mut group, || once(scalar)) else { continue };
            let work = ["sum", shape, "f32"];
            let mut row = Row::<LibraryWork>::blank(name, work, 1 << power, None, &machine.info);
            row.set_times(ms, Timing::Wall);
            if let Some(bytes) = bytes {
                row.set_rate(bytes, None);
            }
            rows.push(row);
        }
    }
    rows
}

/// Times of single calls; `None` if a filter or criterion's test mode left them unmeasured.
fn single(name: &str, group: &mut Group<'_>, once: impl Fn() -> Duration) -> Option<Summary> {
    let mut took = Vec::new();
    group.inner.bench_function(name, |bencher| {
        bencher.iter_custom(|repeats| (0..repeats).map(|_| once()).inspect(|time| took.push(*time)).sum());
    });
    let last = &took[took.len().saturating_sub(CALLS)..];
    let ms: Vec<f64> = last.iter().map(|time| time.as_secs_f64() * 1e3).collect();
    let summary = Summary::of(&ms).filter(|_| ms.len() >= FEWEST)?;
    eprintln!("    median of {}: {:.3} µs\n", ms.len(), 1e3 * summary.median);
    Some(summary)
}

/// A sum, on its way to the host in two ways.
struct Scalar {
    device: wgpu::Device,
    queue: wgpu::Queue,
    output: wgpu::Buffer,
    readback: Readback,
    read: Prepared,
    mailbox: Mailbox,
    posted: Prepared,
    expected: Expected,
}

impl Scalar {
    fn new(machine: &Machine, case: Case, pool: &Pool) -> Made<Self> {
        let (device, queue) = (&machine.device, machine.queue.clone());
        let reducer = Reducer::new(device, case.op.over(case.element)?)?;
        let (input, (block, times)) = (pool.input(WORD * case.n, 0), pool.repeated(WORD * case.n, 0));
        let (output, mailbox) = (calls::output(device, WORD), Mailbox::new(device, WORD));
        let (read, posted) = (reducer.of(input).into(&output)?, reducer.of(input).into(mailbox.buffer())?);
        let (readback, expected) =
            (Readback::new(device, WORD), expected(case, Way::INDEPENDENT, &[block], times));
        Ok(Scalar { device: device.clone(), queue, output, readback, read, mailbox, posted, expected })
    }

    /// From recording to the number, for a host that keeps asking.
    fn by_mailbox(&self) -> Duration {
        let start = Instant::now();
        let mut encoder = self.encoder();
        self.posted.encode(&mut encoder);
        self.mailbox.encode(&mut encoder).expect("a mailbox fits itself");
        self.queue.submit([encoder.finish()]);
        let got = self.mailbox.spin().expect("the device keeps working");
        self.checked(start.elapsed(), &got)
    }

    /// The same for a host that sleeps until it is called.
    fn by_readback(&self) -> Duration {
        let start = Instant::now();
        let mut encoder = self.encoder();
        self.read.encode(&mut encoder);
        self.readback.encode(&mut encoder, &self.output, 0, WORD).expect("the sum fits");
        self.queue.submit([encoder.finish()]);
        let got = self.readback.wait(WORD).expect("the device keeps working");
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
        self.queue.submit([encoder.finish()]);
        let took = start.elapsed();
        self.finish(self.encoder().finish());
        took
    }

    /// Waits until the GPU has done everything, so that nothing piles up.
    fn finish(&self, commands: wgpu::CommandBuffer) {
        self.queue.submit([commands]);
        self.device.poll(wgpu::PollType::wait_indefinitely()).expect("the device keeps working");
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.device.create_command_encoder(&Default::default())
    }
}
