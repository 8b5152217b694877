//! Clocks and inputs: wall time where a device tells no other, and repetitions that take their inputs in turn.

use std::time::Instant;

use crate::common::{Gpu, gpu, held, job, missing, without};
use halofold::ladder::Rung;
use halofold::reduce::reference::reduce;
use halofold::reduce::{Op, Scalar};
use halofold::{Element, Slice, Value, wgpu};
use halofold_measure::{
    Budget, LadderWork, MeasureError, PeakMeter, Rejection, Row, RungRun, Subject, Timer, Timing,
};

const LEN: u64 = 1 << 16;

/// A buffer of zeros, behind `ones` ones.
fn elements(gpu: &Gpu, ones: usize) -> wgpu::Buffer {
    let cells: Vec<f32> = (0..LEN as usize).map(|at| f32::from(at < ones)).collect();
    held(gpu, &cells)
}

/// Every figure of a sum fits into the time that the whole took.
#[test]
fn a_device_without_timestamps_is_measured_by_the_host_on_every_adapter() {
    let without = without(wgpu::Features::TIMESTAMP_QUERY);
    for (gpu, timer) in [
        (&without, Timer::new(&without.device, &without.queue)),
        (gpu(), Timer::wall(&gpu().device, &gpu().queue)),
    ] {
        let device = &gpu.device;
        assert_eq!(timer.timing(), Timing::Wall);
        let rung = Rung::named("sequential").unwrap();
        let job = job(rung, Op::Sum, Element::F32, rung.finishes[0], 64);
        let buffer = elements(gpu, 100);
        let expected = reduce(Op::Sum, Element::F32, bytemuck::cast_slice(&[1f32; 100]), None).unwrap();
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
        run.verify(&timer).unwrap();
        let peak = PeakMeter::new(&timer, Budget::of(device)).unwrap().peak();
        assert_eq!(peak.timing, Timing::Wall);
        assert!(peak.read_gb_per_s > 0.0 && peak.copy_gb_per_s > 0.0);
    }
}

#[test]
fn repetitions_take_their_inputs_in_turn() {
    let gpu @ Gpu { device, queue } = gpu();
    let timer = Timer::new(device, queue);
    let has_timestamps = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
    assert_eq!(timer.timing() == Timing::Gpu, has_timestamps);
    let expected = reduce(Op::Sum, Element::F32, bytemuck::bytes_of(&1f32), None).unwrap();
    let buffers = [1, 20, 300].map(|count| elements(gpu, count));
    let sums = [1.0, 20.0, 300.0, 1.0].map(|sum| Scalar::One(Value::F32(sum)));
    for name in ["single-pass", "vectorized", "tile", "workgroup-atomic"] {
        let rung = Rung::named(name).unwrap();
        for &finish in rung.finishes {
            let job = job(rung, Op::Sum, Element::F32, finish, 64);
            if let Some(reason) = missing(&job) {
                eprintln!("{name}, {finish}: not run ({reason})");
                continue;
            }
            let run_over = |copies: &[&wgpu::Buffer]| {
                RungRun::new(device, job, Slice::new(&buffers[0], 0, 4 * LEN), copies, &expected).unwrap()
            };
            let run = run_over(&[&buffers[1], &buffers[2]]);
            let all = gpu.watched(|| run.values(&timer).map_err(|error| error.to_string()));
            assert_eq!(all.unwrap(), sums[..3], "{name}, {finish}");
            let turns: Vec<_> = (0..4).map(|_| run.value(&timer).unwrap()).collect();
            assert_eq!(turns, sums, "{name}, {finish}");
            // One wrong copy is enough.
            let wrong = run.verify(&timer);
            assert!(matches!(wrong, Err(MeasureError::Rejected(Rejection::Wrong(_)))), "{name}: {wrong:?}");
            run_over(&[&buffers[0]]).verify(&timer).unwrap();
        }
    }
}
