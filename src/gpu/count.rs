//! A count on the GPU: an additional dispatch before the others writes their parameters.

use std::hash::Hash;

use wgpu::{Buffer, BufferUsages, Limits};

use crate::gpu::blocks::{self, Blocks};
use crate::gpu::buffers;
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Pipelines, Slot};
use crate::gpu::launch::Dispatch;
use crate::gpu::limits::{self, LimitError, needs};
use crate::gpu::params::parameters;
use crate::gpu::pass::Pass;
use crate::gpu::slice::Slice;
use crate::shader::{self, rooms};

/// The bindings of group 0 that the kernel declares.
const SLOTS: &[Slot] =
    &[(0, Access::Read), (1, Access::Write), (PARAMETERS, Access::Uniform), (3, Access::Read)];

/// The most words of a dispatch's parameters.
const WORDS: usize = 32;

/// The parameters that it reads and writes, in the order in which `shaders/kernels/length.wgsl` finds their places.
const COUNTED: [&str; 3] = ["len", "index", "count"];

/// The place of a parameter that a dispatch lacks: behind those places.
const NOWHERE: usize = WORDS + COUNTED.len();

const WORD: u64 = 4;

/// Invocations in a workgroup, on a device that allows as many. Each writes the parameters of one dispatch.
pub(crate) const WORKGROUP: u32 = 64;

pub(crate) fn kernel(workgroup_size: u32) -> Kernel {
    let stride = blocks::STRIDE / WORD;
    let overrides = [("WG", f64::from(workgroup_size)), ("WORDS", WORDS as f64), ("STRIDE", stride as f64)];
    let wgsl = shader::text(&[rooms::KERNELS], "kernels/length").to_owned();
    Kernel::new(shader::label(&["reduce", "length"]), wgsl, SLOTS, overrides.to_vec())
}

parameters! {
    /// `Job` of `shaders/kernels/length.wgsl`.
    struct Job {
        at: u32,
        most: u32,
        passes: u32,
    }
}

/// The parameters of passes, with words for the places of outputs. Those for a count on the GPU are templates: behind their words they
/// have the places of the fields of [`COUNTED`].
pub(crate) fn blocks<S>(passes: &[Pass<S>], places: &[(&'static str, u32)], is_counted: bool) -> Blocks {
    let mut blocks = Blocks::default();
    for pass in passes {
        let mut words = pass.words().to_vec();
        for (name, word) in places {
            pass.place(name).into_iter().for_each(|at| words[at] = *word);
        }
        if is_counted {
            words.resize(WORDS, 0);
            words.extend(COUNTED.map(|name| pass.place(name).unwrap_or(NOWHERE) as u32));
        }
        blocks.add_bytes(bytemuck::cast_slice(&words));
    }
    blocks
}

/// The dispatch that applies a count to the parameters of passes, of `size` bytes: the size of its workgroups, its own parameters and its workgroups. The count,
/// which is `most` at most, lies some bytes behind the start of its binding.
pub(crate) fn prologue(
    passes: usize,
    size: u64,
    (before, most): (u64, u32),
    limits: &Limits,
) -> Result<(u32, Vec<u32>, [u32; 2]), LimitError> {
    limits::check(SLOTS, limits)?;
    let needed = needs!(limits, max_storage_buffer_binding_size, size);
    needed.map_err(|error| error.of("a count on the GPU").or("give the length from the host"))?;
    let workgroup_size = WORKGROUP.min(limits::largest_workgroup(limits));
    let passes = passes as u32;
    let job = Job { at: (before / WORD) as u32, most, passes };
    let job = bytemuck::pod_collect_to_vec(bytemuck::bytes_of(&job));
    Ok((workgroup_size, job, [passes.div_ceil(workgroup_size), 1]))
}

impl<K: Eq + Hash> Pipelines<K> {
    /// Allocates the parameters of passes. With a count, also returns the dispatch that writes them. Passes that read elements have the fields
    /// `len` and `index` of [`COUNTED`]. Passes that cover all elements need only `len`.
    pub(crate) fn parameters<S>(
        &self,
        label: &str,
        passes: &[Pass<S>],
        places: &[(&'static str, u32)],
        count: Option<(Slice<'_>, u32)>,
    ) -> Result<(Buffer, Option<Dispatch>), LimitError> {
        let (device, limits) = (&self.device, &self.limits);
        let count = count.filter(|_| !passes.is_empty());
        let blocks = blocks(passes, places, count.is_some());
        let written = |usage| blocks.buffer(device, label, usage);
        let Some((count, most)) = count else { return Ok((written(BufferUsages::UNIFORM), None)) };
        let before = count.offset() % u64::from(limits.min_storage_buffer_offset_alignment);
        let (workgroup_size, job, grid) = prologue(passes.len(), blocks.size(), (before, most), limits)?;
        let templates = written(BufferUsages::STORAGE);
        let parameters = written(BufferUsages::UNIFORM | BufferUsages::STORAGE);
        let kernel = self.count.get_or_init(|| self.compile(kernel(workgroup_size)));
        let job = buffers::filled(device, label, bytemuck::cast_slice(&job), BufferUsages::UNIFORM);
        let dispatch = kernel.dispatch(device, label, grid, |slot| match slot {
            0 => templates.as_entire_binding(),
            1 => parameters.as_entire_binding(),
            PARAMETERS => job.as_entire_binding(),
            _ => buffers::slice(count.buffer(), count.offset() - before, before + WORD),
        });
        Ok((parameters, Some(dispatch)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_those_of_the_kernel() {
        crate::gpu::params::assert_alike::<Job>("length", &kernel(64).wgsl);
    }
}
