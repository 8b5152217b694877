//! Every rung of the ladder under criterion, by GPU time: `cargo bench --bench reduce`.
//!
//! One group for each operator, type and size, so that criterion's plots compare the rungs. Sizes go by what the adapter is;
//! `HALOFOLD_BENCH=full` takes them all, from 2^10 to 2^29. Every result is verified before it is timed, and the run leaves a
//! record (`HALOFOLD_RECORD=FILE`, by default `target/halofold/reduce.json`) for `halofold compare` and `halofold report`.
//! With `HALOFOLD_COLD=1` repetitions take copies of the input in turn, which no cache holds together.

mod common;

use std::cell::LazyCell;

use common::{Extent, Machine};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, SamplingMode, Throughput};
use halofold::reduce::Op;
use halofold::reduce::ladder::RUNGS;
use halofold::reduce::reference::{self, Expected, Verdict};
use halofold::{Element, Slice, wgpu};
use halofold_measure::{Job, LadderWork, Noise, Row, Status, Trial};

/// What is reduced.
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
            let data = LazyCell::new(|| Data::new(&machine, op, element, len, copies));
            let mut group = criterion.benchmark_group(&title);
            group.sampling_mode(SamplingMode::Flat).throughput(Throughput::BytesDecimal(bytes));
            for rung in RUNGS {
                let job = Job::new(rung, op, element, &machine.device.limits(), len);
                let job = job.expect("the pairs are defined");
                rows.extend(bench(&mut group, &machine, job, len, &data));
            }
            group.finish();
        }
    }
    criterion.final_summary();
    let timed = rows.iter().any(|row| row.times.median.is_some());
    common::write_record(&machine, &path, timed, |record| record.rows = rows);
}

/// How many copies of an input of so many bytes are taken in turn; a reason if there cannot be even one, or not enough.
fn copies(machine: &Machine, bytes: u64) -> Result<u64, String> {
    let most = machine.device.limits().max_buffer_size;
    if bytes > most {
        return Err(format!("needs a buffer of {bytes} bytes, max_buffer_size is {most}"));
    }
    machine.inputs.copies(&machine.device, bytes).map_err(|error| error.to_string())
}

/// Elements on the GPU, as often as repetitions take turns, and what their reduction should give.
struct Data {
    buffers: Vec<wgpu::Buffer>,
    expected: Expected,
    len: u64,
}

impl Data {
    fn new(machine: &Machine, op: Op, element: Element, len: u64, copies: u64) -> Self {
        let noise = Noise::new(op, element, len);
        let words: Vec<u64> = (0..noise.words()).map(|at| noise.word(at)).collect();
        let bytes = bytemuck::cast_slice(&words);
        let buffers = (0..copies).map(|_| input(machine, bytes)).collect();
        let bytes = &bytes[..(len * element.size()) as usize];
        let expected = reference::reduce(op, element, bytes, None).expect("the pairs are defined");
        Data { buffers, expected, len }
    }

    /// A job over the data, whose results were right.
    fn trial(&self, machine: &Machine, job: Job) -> Trial {
        let first = Slice::new(&self.buffers[0], 0, self.len * job.element.size());
        let others: Vec<_> = self.buffers[1..].iter().collect();
        let trial = Trial::rotating(&machine.device, job, first, &others);
        let trial = trial.unwrap_or_else(|error| panic!("{error}"));
        match trial.verify(&machine.device, &machine.queue, &self.expected) {
            Ok(Verdict::Right) => trial,
            Ok(Verdict::Wrong(mismatch)) => panic!("{}: the result is wrong: {mismatch}", job.rung.name()),
            Ok(Verdict::Undecided) => panic!("{}: there is nothing to verify against", job.rung.name()),
            Err(error) => panic!("{}: {error}", job.rung.name()),
        }
    }
}

/// A buffer with these bytes.
fn input(machine: &Machine, bytes: &[u8]) -> wgpu::Buffer {
    let buffer = machine.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold input"),
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: true,
    });
    buffer.slice(..).get_mapped_range_mut().expect("the buffer is mapped").copy_from_slice(bytes);
    buffer.unmap();
    buffer
}

/// Runs one rung under criterion; its row, unless a filter or criterion's test mode left it unmeasured.
fn bench<F: FnOnce() -> Data>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    machine: &Machine,
    job: Job,
    len: u64,
    data: &LazyCell<Data, F>,
) -> Option<Row> {
    let name = job.rung.name();
    let mut row = Row::<LadderWork>::blank(&job, len, &machine.info);
    let device = &machine.device;
    if let Err(error) = job.check(device.features(), &device.limits()) {
        common::skip(name, &error.to_string());
        row.reason = Some(error.to_string());
        return Some(row);
    }
    let make = || data.trial(machine, job);
    let time = |trial: &Trial, repeats| machine.timer.measure_n(repeats, &|pass| trial.encode_in_pass(pass));
    let (trial, summary, timing) = common::bench(group, machine, name, make, time)?;
    row.figures.workgroups = Some(trial.plan().workgroups());
    row.figures.dispatches = Some(trial.plan().launches().len() as u64);
    row.status = Status::Pass;
    row.set_times(summary, timing, len * job.element.size(), machine.peak.read_gb_per_s);
    if let (Some(gb_per_s), Some(percent)) = (row.figures.gb_per_s, row.figures.percent_of_read_peak) {
        let timing = timing.name();
        eprintln!("    {gb_per_s:.3} GB/s, {percent:.1} % of the read peak ({timing} time)\n");
    }
    Some(row)
}
