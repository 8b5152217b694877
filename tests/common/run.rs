//! Runs a reduction on buffers with poison around them, and judges its results.

use halofold::read::Readback;
use halofold::reduce::ladder::{Finish, Rung};
use halofold::reduce::reference::Verdict;
use halofold::reduce::{Op, Reducer, Reduction, Shape};
use halofold::{Element, Slice};
use halofold_measure::Job;

use super::buffers::{is_poison, room};
use super::{Gpu, gpu};

/// Bytes of poison in front of the results and behind them.
const GUARD: u64 = 256;

/// Elements that an input spans of which a shape takes so many.
pub fn spanned(shape: Shape, taken: u64) -> u64 {
    match shape {
        Shape::Strided { stride } if taken > 0 => (taken - 1) * stride + 1,
        _ => taken,
    }
}

/// A reduction of a shape, between these offsets if it takes some.
pub fn shaped<'r, 'b>(
    reduction: Reduction<'r, 'b>,
    shape: Shape,
    offsets: impl Into<Slice<'b>>,
) -> Reduction<'r, 'b> {
    if let Shape::Offsets { .. } = shape {
        reduction.segment_offsets(offsets)
    } else {
        reduction.shape(shape)
    }
}

/// A reduction of one input, or of two in pairs.
pub fn over<'r, 'b>(reducer: &'r Reducer, inputs: &[Slice<'b>]) -> Reduction<'r, 'b> {
    let first = reducer.of(inputs[0]);
    inputs.get(1).map_or(first.clone(), |second| first.with(*second))
}

/// Runs a reduction twice in one submission and returns the bytes of its output after each.
///
/// Both find `start` there, or poison; the second finds scratch memory and ticket counters as the first one left them. Fails
/// if anything beside the output was written.
pub fn run(gpu: &Gpu, reduction: &Reduction<'_, '_>, start: Option<&[u8]>) -> Result<[Vec<u8>; 2], String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let plan = reduction.plan().map_err(|error| text(&error))?;
    let [before, output] = [(); 2].map(|()| room(gpu, GUARD + plan.output() + GUARD));
    if let Some(start) = start {
        gpu.queue.write_buffer(&before, GUARD, start);
    }
    let prepared =
        reduction.clone().prepare(plan.clone(), Slice::at(&output, GUARD)).map_err(|error| text(&error))?;
    assert_eq!(*prepared.plan(), plan);
    let size = output.size();
    let results = Readback::new(&gpu.device, 2 * size);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    for run in 0..2 {
        encoder.copy_buffer_to_buffer(&before, 0, &output, 0, size);
        prepared.encode(&mut encoder);
        let copied = results.encode_behind(run * size, &mut encoder, &output, 0, size);
        copied.map_err(|error| text(&error))?;
    }
    gpu.queue.submit([encoder.finish()]);
    let bytes = results.wait(2 * size).map_err(|error| text(&error))?;
    let runs = [0, 1].map(|run| {
        let all = &bytes[run * size as usize..][..size as usize];
        let (before, rest) = all.split_at(GUARD as usize);
        let (results, after) = rest.split_at(plan.output() as usize);
        let is_poison = |bytes: &[u8]| bytes.iter().enumerate().all(|(at, byte)| is_poison(at, *byte));
        (is_poison(before) && is_poison(after)).then(|| results.to_vec())
    });
    match runs {
        [Some(first), Some(second)] => Ok([first, second]),
        _ => Err(format!("{plan:?} wrote beside its output")),
    }
}

/// Takes nothing but `Right`: a reference that leaves a result open has not checked it.
pub fn right(verdict: Verdict) -> Result<(), String> {
    match verdict {
        Verdict::Right => Ok(()),
        Verdict::Wrong(mismatch) => Err(mismatch),
        Verdict::Undecided => Err("the reference leaves it open".to_owned()),
    }
}

/// A job with the tuning that halofold itself would use, at another workgroup size.
pub fn job(rung: &'static Rung, op: Op, element: Element, finish: Finish, workgroup_size: u32) -> Job {
    let job = Job::new(rung, op, element, &gpu().device.limits(), u64::MAX).expect("the pair is defined");
    Job { tuning: job.tuning.with_workgroup_size(workgroup_size), finish, ..job }
}

/// The reason why the device cannot run a job, if it cannot.
pub fn missing(job: &Job) -> Option<String> {
    let device = &gpu().device;
    job.check(device.features(), &device.limits()).err().map(|error| error.to_string())
}
