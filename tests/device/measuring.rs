//! Clocks and inputs: wall time where a device tells no other, and repetitions that take their inputs in turn.

use std::time::Instant;

use crate::common::{Kind, data, gpu, job};
use halofold::reduce::ladder::Rung;
use halofold::reduce::reference::{Expected, reduce};
use halofold::reduce::{Op, Scalar};
use halofold::{Element, Slice, Value, adapter, wgpu};
use halofold_measure::{
    Budget, Inputs, LadderWork, MeasureError, PeakMeter, Rejection, Row, RungRun, Subject, Timer, Timing,
};

const LEN: u64 = 1 << 16;

/// A device of the same adapter, opened without timestamps.
fn without_timestamps() -> (wgpu::Device, wgpu::Queue) {
    let adapter = pollster::block_on(adapter::preferred(false)).expect("there is an adapter");
    let features = (adapter.features() & adapter::HELPFUL_FEATURES) - wgpu::Features::TIMESTAMP_QUERY;
    let opened = adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: features,
        required_limits: adapter::helpful_limits(&adapter),
        ..Default::default()
    });
    pollster::block_on(opened).expect("the adapter opens")
}

/// Floats on a device, and their expected sum.
fn elements(device: &wgpu::Device, queue: &wgpu::Queue) -> (wgpu::Buffer, Expected) {
    let elements = data(Kind::Dyadic, Op::Sum, Element::F32, LEN as usize, 1);
    let expected = reduce(Op::Sum, Element::F32, elements.bytes(), None).expect("f32 has a sum");
    (upload(device, queue, elements.bytes()), expected)
}

fn upload(device: &wgpu::Device, queue: &wgpu::Queue, bytes: &[u8]) -> wgpu::Buffer {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("test input"),
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}

/// Measures a sum by a timer and compares every figure with the time that the whole took.
fn measured_by_the_host(timer: &Timer) {
    let (device, queue) = (timer.device(), timer.queue());
    assert_eq!(timer.timing(), Timing::Wall);
    assert_eq!(timer.timing().mark("sequential"), "sequential (wall)");
    let rung = Rung::named("sequential").unwrap();
    let job = job(rung, Op::Sum, Element::F32, rung.finishes[0], 64);
    let (buffer, expected) = elements(device, queue);
    let run = RungRun::new(device, job, Slice::new(&buffer, 0, 4 * LEN), &[], &expected).unwrap();
    let record = |pass: &mut wgpu::ComputePass<'_>| run.encode_in_pass(pass);

    let start = Instant::now();
    let measured = timer.measure(Budget::of(device), &record).unwrap();
    let whole = start.elapsed().as_secs_f64() * 1e3;
    assert_eq!(measured.timing, Timing::Wall);
    assert!(measured.samples().len() >= 3);
    let sum = f64::from(measured.repeats) * measured.samples().iter().sum::<f64>();
    assert!(measured.samples().iter().all(|ms| *ms > 0.0) && sum <= whole, "{sum} of {whole} ms");

    let start = Instant::now();
    let (took, timing) = timer.measure_n(7, &record).unwrap();
    assert_eq!(timing, Timing::Wall);
    assert!(!took.is_zero() && took <= start.elapsed(), "{took:?}");
    assert_eq!(timer.once(&record).unwrap(), None, "the way of a single run is no time of the kernel");

    let mut row = Row::<LadderWork>::blank(&job, LEN, &device.adapter_info());
    row.set_times(measured.summary(), measured.timing, 4 * LEN, 1.0);
    assert_eq!(row.times.timing.as_deref(), Some("wall"));
    run.verify(timer).unwrap();
}

#[test]
fn a_device_without_timestamps_is_measured_by_the_host_on_every_adapter() {
    let (device, queue) = without_timestamps();
    let timer = Timer::new(&device, &queue);
    measured_by_the_host(&timer);
    let peak = PeakMeter::new(&timer, Budget::of(&device)).unwrap().peak();
    assert_eq!(peak.timing, Timing::Wall);
    assert!(peak.read_gb_per_s > 0.0 && peak.copy_gb_per_s > 0.0);
}

#[test]
fn the_hosts_clock_can_be_asked_for() {
    measured_by_the_host(&Timer::wall(&gpu().device, &gpu().queue));
}

#[test]
fn timestamps_are_used_where_they_are() {
    let gpu = gpu();
    let told = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
    let timer = Timer::new(&gpu.device, &gpu.queue);
    assert_eq!(timer.timing() == Timing::Gpu, told);
}

/// A sum of `ones` ones in a buffer of zeros.
fn ones(ones: usize) -> Vec<u8> {
    let cells: Vec<f32> = (0..LEN as usize).map(|at| f32::from(at < ones)).collect();
    bytemuck::cast_slice(&cells).to_vec()
}

#[test]
fn repetitions_take_their_inputs_in_turn() {
    let gpu = gpu();
    let (device, queue) = (&gpu.device, &gpu.queue);
    let timer = Timer::new(device, queue);
    let expected = reduce(Op::Sum, Element::F32, &ones(1), None).expect("f32 has a sum");
    let buffers: Vec<_> = [1, 20, 300].map(|count| upload(device, queue, &ones(count))).into();
    for name in ["single-pass", "vectorized", "tile", "workgroup-atomic"] {
        let rung = Rung::named(name).unwrap();
        for &finish in rung.finishes {
            let job = job(rung, Op::Sum, Element::F32, finish, 64);
            if let Some(reason) = crate::common::missing(&job) {
                eprintln!("{name}, {finish}: not run ({reason})");
                continue;
            }
            let first = Slice::new(&buffers[0], 0, 4 * LEN);
            let run = RungRun::new(device, job, first, &[&buffers[1], &buffers[2]], &expected).unwrap();
            let all = gpu.watched(|| run.values(&timer).map_err(|error| error.to_string()));
            assert_eq!(
                all.unwrap(),
                [1.0, 20.0, 300.0].map(|x| Scalar::One(Value::F32(x))),
                "{name}, {finish}"
            );
            let turns: Vec<_> = (0..4).map(|_| run.value(&timer).unwrap()).collect();
            assert_eq!(
                turns,
                [1.0, 20.0, 300.0, 1.0].map(|x| Scalar::One(Value::F32(x))),
                "{name}, {finish}"
            );

            // One wrong copy is enough.
            let wrong = run.verify(&timer);
            assert!(matches!(wrong, Err(MeasureError::Rejected(Rejection::Wrong(_)))), "{name}: {wrong:?}");
            let same = RungRun::new(device, job, first, &[&buffers[0]], &expected).unwrap();
            same.verify(&timer).unwrap();
        }
    }
}

#[test]
fn cold_inputs_fill_more_than_a_cache() {
    let device = &gpu().device;
    for bytes in [1 << 20, 5 << 20, 1 << 29] {
        assert_eq!(Inputs::Warm.copies(device, bytes), Ok(1));
        let copies = Inputs::Cold.copies(device, bytes).unwrap();
        assert!(copies * bytes >= 64 << 20, "{copies} copies of {bytes} bytes");
    }
    assert!(Inputs::Cold.copies(device, 4).is_err());
}
