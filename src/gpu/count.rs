//! A count on the GPU: an additional dispatch before the others writes their parameters.

use std::hash::Hash;

use wgpu::{Buffer, BufferUsages};

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
        let mut blocks = Blocks::default();
        for pass in passes {
            let mut words = pass.words().to_vec();
            for (name, word) in places {
                pass.place(name).into_iter().for_each(|at| words[at] = *word);
            }
            if count.is_some() {
                words.resize(WORDS, 0);
                words.extend(COUNTED.map(|name| pass.place(name).unwrap_or(NOWHERE) as u32));
            }
            blocks.add_bytes(bytemuck::cast_slice(&words));
        }
        let written = |usage| blocks.buffer(device, label, usage);
        let Some((count, most)) = count.filter(|_| !passes.is_empty()) else {
            return Ok((written(BufferUsages::UNIFORM), None));
        };
        limits::check(SLOTS, limits)?;
        let needed = needs!(limits, max_storage_buffer_binding_size, blocks.size());
        needed.map_err(|error| error.of("a count on the GPU").or("give the length from the host"))?;
        let templates = written(BufferUsages::STORAGE);
        let parameters = written(BufferUsages::UNIFORM | BufferUsages::STORAGE);
        let workgroup_size = WORKGROUP.min(limits::largest_workgroup(limits));
        let kernel = self.count.get_or_init(|| self.compile(kernel(workgroup_size)));
        let align = u64::from(limits.min_storage_buffer_offset_alignment);
        let start = count.offset() / align * align;
        let at = ((count.offset() - start) / WORD) as u32;
        let passes = passes.len() as u32;
        let job = Job { at, most, passes };
        let job = buffers::filled(device, label, bytemuck::bytes_of(&job), BufferUsages::UNIFORM);
        let grid = [passes.div_ceil(workgroup_size), 1];
        let dispatch = kernel.dispatch(device, label, grid, |slot| match slot {
            0 => templates.as_entire_binding(),
            1 => parameters.as_entire_binding(),
            PARAMETERS => job.as_entire_binding(),
            _ => buffers::slice(count.buffer(), start, count.offset() + WORD - start),
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
