//! Runs a reduction on buffers with poison around them, and judges its results.

use halofold::ladder::{Finish, Rung};
use halofold::reduce::reference::Verdict;
use halofold::reduce::{Both, Op, Reduce, Reduction, Shape};
use halofold::{Compiled, Element, Slice};
use halofold_measure::Job;

use super::twice::Outputs;
use super::{Gpu, gpu};

/// Elements of an input of which a shape takes `taken`.
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
pub fn over<'r, 'b>(reducer: &'r Compiled<Reduce>, inputs: &[Slice<'b>]) -> Reduction<'r, 'b> {
    match *inputs {
        [first, second] => reducer.of(Both { first, second }),
        _ => reducer.of(inputs[0]),
    }
}

/// Runs a reduction twice and returns the bytes of its output after each. Both runs find `start` there, or poison.
pub fn run(gpu: &Gpu, reduction: &Reduction<'_, '_>, start: Option<&[u8]>) -> Result<[Vec<u8>; 2], String> {
    let plan = reduction.plan().map_err(|error| error.to_string())?;
    let outputs = Outputs::new(gpu, [plan.output()]).starting_with(start.unwrap_or(&[]));
    let output = outputs.slices().next().expect("one output");
    let prepared = reduction.clone().bind(output).map_err(|error| error.to_string())?;
    let runs = outputs.runs(|encoder| prepared.encode(encoder)).map_err(|why| format!("{plan:?}: {why}"))?;
    Ok(runs.map(|mut outputs| outputs.remove(0)))
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
