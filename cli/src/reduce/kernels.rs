//! The compiled reductions that files and operators need.

use halofold::Element;
use halofold::reduce::{Extent, Op, Reducer};

use super::file::Work;
use super::layout::{Layout, Share};
use super::slot::{self, Kernel};
use super::{help, op};
use crate::failure::Failure;
use crate::gpu::{self, Gpu};
use crate::input::Stored;

/// The reductions that all files and operators need, each of which compiles its kernels once, for pieces of at most so many elements.
pub fn of_ops(
    gpu: &Gpu,
    work: &[Work],
    ops: &[Op],
    most: impl Fn(Stored) -> u64,
) -> Result<Vec<Kernel>, Failure> {
    let mut kernels: Vec<Kernel> = Vec::new();
    for (work, op) in work.iter().flat_map(|work| ops.iter().map(move |op| (work, *op))) {
        let element = work.stored.element();
        if !op.is_over(element) {
            return Err(refused(work, format!("`{op}` is not defined for {}", work.stored)));
        }
        for part in op::parts(op, element) {
            let Ok(monoid) = part.over(element) else { continue };
            let missing = monoid.features() - gpu.device.features();
            let number = number(&kernels, part, element).map_or_else(
                || {
                    let lacking =
                        |error| refused(work, gpu::explain(&error) + &help::instead(op, work, missing));
                    let reducer = gpu.attempt(|| Reducer::new(&gpu.device, monoid).map_err(lacking))?;
                    kernels.push(Kernel { op: part, element, reducer });
                    Ok(kernels.len() - 1)
                },
                Ok,
            )?;
            prepare(gpu, &kernels[number], work, most(work.stored))?;
        }
    }
    Ok(kernels)
}

/// The place of a reduction among others.
pub fn number(kernels: &[Kernel], op: Op, element: Element) -> Option<usize> {
    kernels.iter().position(|kernel| (kernel.op, kernel.element) == (op, element))
}

/// Compiles what the first piece of a file takes, of at most so many elements, if the file's length is known. What a device cannot bind,
/// too, is better known before anything is read.
pub fn prepare(gpu: &Gpu, kernel: &Kernel, work: &Work, most: u64) -> Result<(), Failure> {
    let mut shares = work.layout.shares(most).map_err(|error| refused(work, gpu::explain(&error)))?;
    let Some((share, len)) = shares.next().zip(work.len).filter(|(_, len)| *len > 0) else { return Ok(()) };
    let share = match work.layout {
        Layout::Whole => Share { len: share.len.min(len), ..share },
        Layout::Axis(_) => share,
    };
    let extent = Extent { offset: 0, len: share.elements() };
    let second = (kernel.op == Op::Dot).then_some(extent);
    let shape = slot::shape(&work.layout, &share);
    let unbound = |error| refused(work, gpu::explain(&error));
    gpu.attempt(|| kernel.reducer.compile(shape, &[extent], second).map_err(unbound))
}

fn refused(work: &Work, why: String) -> Failure {
    Failure::Usage(format!("{}: {why}", work.path))
}
