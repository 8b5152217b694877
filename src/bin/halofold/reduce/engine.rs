//! What reduces the files: compiled kernels, and the memory that pieces pass through.

use halofold::reduce::{Input, Job, Operator};
use halofold::{Element, wgpu};

use super::ahead;
use super::file::Work;
use super::kernel::{self, Kernel};
use super::op::Op;
use super::tally::Tally;
use crate::Failure;
use crate::dataset;
use crate::gpu::Gpu;
use crate::input::Source;

/// Reduces one file after the other, piece by piece.
pub struct Engine<'a> {
    gpu: &'a Gpu,
    /// One for each operator and element type that the files need.
    kernels: Vec<Kernel>,
    /// Two pieces on the host, aligned for any element: one is reduced, the next one read.
    host: [Vec<u64>; 2],
    /// The piece on the GPU.
    buffer: wgpu::Buffer,
}

impl<'a> Engine<'a> {
    /// Checks that the adapter can do all that is asked, and compiles it, for pieces of up to `piece` bytes.
    pub fn new(gpu: &'a Gpu, work: &[Work], ops: &[Op], piece: u64) -> Result<Self, Failure> {
        // A piece ends between two elements of whatever type, and has room for one.
        let most = (piece.min(gpu.device.limits().max_buffer_size) / 8 * 8).max(8);
        // Tuned for a whole piece, however small the files are: what the last bits of a float sum are should not
        // depend on the other files of the command.
        let jobs = jobs(gpu, work, ops, most)?;
        let largest = work.iter().map(|work| work.bytes.unwrap_or(most)).max().unwrap_or(0);
        let size = largest.min(most).next_multiple_of(8).max(8);
        let kernel = |job: Job| Kernel::new(gpu, job, size / job.accumulator.element.size());
        Ok(Engine {
            gpu,
            kernels: jobs.into_iter().map(kernel).collect::<Result<_, _>>()?,
            host: [(); 2].map(|()| vec![0; size as usize / 8]),
            buffer: gpu.attempt(|| Ok(dataset::input_buffer(gpu, size)))?,
        })
    }

    /// The adapter's name.
    pub fn adapter(&self) -> &str {
        &self.gpu.info.name
    }

    /// Lets every tally have all elements of a source; tells `advance` after each piece how many bytes it had.
    pub fn reduce(
        &mut self,
        source: &mut Source,
        tallies: &mut [Tally],
        mut advance: impl FnMut(u64),
    ) -> Result<(), Failure> {
        let element = source.element();
        let Engine { gpu, kernels, host, buffer } = self;
        ahead::pieces(source, host, |piece| {
            gpu.attempt(|| {
                dataset::write(gpu, buffer, piece);
                Ok(())
            })?;
            let bytes = piece.len() as u64;
            let input = Input { buffer, offset: 0, len: bytes / element.size() };
            for tally in &mut *tallies {
                let kernel = find(kernels, tally.op().operator(element), element);
                tally.add(piece, &kernel.reduce(gpu, input)?);
            }
            advance(bytes);
            Ok(())
        })
    }
}

/// The kernel of an operator over an element type.
fn find(kernels: &mut [Kernel], operator: Operator, element: Element) -> &mut Kernel {
    let found = kernels.iter_mut().find(|kernel| kernel.is(operator, element));
    found.expect("every operator is compiled for every element type of the files")
}

/// The reductions that all files and operators need, each once.
fn jobs(gpu: &Gpu, work: &[Work], ops: &[Op], piece: u64) -> Result<Vec<Job>, Failure> {
    let mut jobs: Vec<Job> = Vec::new();
    for (work, op) in work.iter().flat_map(|work| ops.iter().map(move |op| (work, op))) {
        let wanted = (op.operator(work.element), work.element);
        if !jobs.iter().any(|job| (job.accumulator.operator, job.accumulator.element) == wanted) {
            let job = kernel::job(gpu, wanted.0, wanted.1, piece);
            jobs.push(job.map_err(|error| Failure::Usage(format!("{}: {error}", work.path)))?);
        }
    }
    Ok(jobs)
}
