//! The compiled reductions that files and operators need.

use std::fmt::Display;

use halofold::reduce::{Arity, BufferRange, Op, Options, Reducer};

use super::buffers::{self, Kernel, Operation};
use super::file::Work;
use super::help;
use super::layout::{Layout, Share};
use super::own;
use super::parts::Part;
use super::totals::Wanted;
use crate::failure::Failure;
use crate::files::Stored;
use crate::gpu::Gpu;

/// The reductions that all files and operators need, each of which compiles its kernels once, for pieces of at most this many elements.
pub fn of_ops(
    gpu: &Gpu,
    work: &[Work],
    wanted: &[Wanted<'_>],
    most: impl Fn(Stored) -> u64,
) -> Result<Vec<Kernel>, Failure> {
    let mut kernels: Vec<Kernel> = Vec::new();
    let each = work
        .iter()
        .zip(wanted)
        .flat_map(|(work, wanted)| wanted.operators().map(move |op| (work, wanted, op)));
    for (work, wanted, op) in each {
        for part in wanted.parts(op, work.stored.element()) {
            if let Some(number) = place(gpu, &mut kernels, (work, wanted, op), part)? {
                prepare(gpu, &kernels[number], work, most(work.stored))?;
            }
        }
    }
    Ok(kernels)
}

/// The place among kernels of the reduction that leaves a state for an operator; it is added if it is not there. `None` if there is no such
/// reduction.
pub fn place(
    gpu: &Gpu,
    kernels: &mut Vec<Kernel>,
    (work, wanted, op): (&Work, &Wanted<'_>, Option<Op>),
    part: Part,
) -> Result<Option<usize>, Failure> {
    if let Some(op) = op.filter(|op| !op.is_over(part.element)) {
        return Err(refused(work, format!("`{op}` is not defined for {}", work.stored)));
    }
    let Some(monoid) = wanted.monoid(part)? else { return Ok(None) };
    if let Some(number) = number(kernels, part) {
        return Ok(Some(number));
    }
    let missing = monoid.features() - gpu.device.features();
    let lacking = |error| refused(work, format!("{error}{}", help::instead(op, work, missing)));
    let options = match part.op {
        Some(_) => Options::default().with_accuracy(part.accuracy),
        None => own::in_order(&monoid, gpu),
    };
    let options = options.with_to_states(true);
    let reducer = || Reducer::with_options(&gpu.device, monoid, options).map_err(lacking);
    kernels.push(Kernel { part, operation: Operation::Reduction(Box::new(gpu.attempt(reducer)?)) });
    Ok(Some(kernels.len() - 1))
}

/// The place of a reduction among others.
pub fn number(kernels: &[Kernel], part: Part) -> Option<usize> {
    kernels.iter().position(|kernel| kernel.part == part)
}

/// Compiles the kernels of a file's first piece, of at most this many elements, if the file's length is known. This also finds sizes
/// that a device cannot bind before anything is read.
fn prepare(gpu: &Gpu, kernel: &Kernel, work: &Work, most: u64) -> Result<(), Failure> {
    let mut shares = work.layout.shares(most).map_err(|error| refused(work, error))?;
    let Some((share, len)) = shares.next().zip(work.len).filter(|(_, len)| *len > 0) else { return Ok(()) };
    let Some(reducer) = kernel.reducer() else { return Ok(()) };
    let share = match work.layout {
        Layout::Whole => Share { len: share.len.min(len), ..share },
        Layout::Axis(_) => share,
    };
    let extent = BufferRange { offset: 0, len: share.elements() };
    let second = (reducer.monoid().arity() == Arity::Two).then_some(extent);
    if let Layout::Axis(axis) = &work.layout
        && !share.completes
    {
        if kernel.counts_from_start() {
            return Err(refused(work, own::SPLIT));
        }
        if kernel.part.op.is_none() && axis.is_apart() {
            return Err(refused(work, own::SPLIT_APART));
        }
    }
    let shape = buffers::shape(&work.layout, &share);
    let unbound = |error| refused(work, error);
    gpu.attempt(|| {
        let plan = reducer.plan(shape, &[extent], second);
        plan.and_then(|plan| reducer.compile(&plan)).map_err(unbound)
    })
}

fn refused(work: &Work, why: impl Display) -> Failure {
    Failure::usage(format!("{}: {why}", work.path))
}
