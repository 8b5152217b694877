//! Plans as plain data: what a host of any language needs to run an operation.

use wgpu::{Features, Limits};

use crate::gpu::buffers::LEAST;
use crate::gpu::count;
use crate::gpu::error::Error;
use crate::gpu::io::Output;
use crate::gpu::kernel::{Access, Driver, Kernel, PARAMETERS};
use crate::gpu::operation::Plan;
use crate::gpu::parameters::Parameters;
use crate::gpu::pass::{Binding, INPUT, SECOND};
use crate::gpu::range::ByteRange;
use crate::gpu::{BufferError, blocks, outputs};

/// A host that runs plans itself, without this library's recording.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// The features that kernels may use.
    pub features: Features,
    /// The limits of its device.
    pub limits: Limits,
    /// Of each output the bytes between the last multiple of `min_storage_buffer_offset_alignment` and its start: 0 where none are given, and
    /// of outputs that start there.
    pub outputs: Vec<u64>,
    /// The same of a count on the GPU; `None` if the host knows the length.
    pub count: Option<u64>,
}

impl Host {
    /// The driver of a browser, which keeps its name to itself.
    pub(crate) const DRIVER: Driver = Driver { miscounts: false, is_software: false, compiles_slowly: true };
}

/// An operation over inputs of some lengths as plain data. A host compiles the kernels, allocates the buffers, and records the dispatches in
/// their order, each after the one before.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Data {
    /// The name of the operation in a debugger.
    pub label: String,
    /// The kernels.
    pub kernels: Vec<Kernel>,
    /// The buffers besides inputs and outputs. No other operation may write to them.
    pub buffers: Vec<DataBuffer>,
    /// The names of the inputs.
    pub inputs: Vec<&'static str>,
    /// The outputs.
    pub outputs: Vec<Output>,
    /// The dispatches.
    pub dispatches: Vec<DataDispatch>,
    /// Of a reduction: the number of combinations on the longest way from an element to a result.
    pub depth: Option<u64>,
}

/// A buffer of [`Data`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataBuffer {
    /// Its size in bytes.
    pub size: u64,
    /// Its first words; the others are 0 at first.
    pub contents: Vec<u32>,
}

/// A dispatch of [`Data`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataDispatch {
    /// The number of its kernel.
    pub kernel: usize,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    /// What it binds to each slot of group 0.
    pub parts: Vec<(u32, Part)>,
}

/// A part of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// The buffer.
    pub of: Source,
    /// The offset of its first byte: in an input or output from the multiple of `min_storage_buffer_offset_alignment` at or before its start.
    pub offset: u64,
    /// Its size in bytes; `None` for the rest of the buffer.
    pub size: Option<u64>,
}

/// A buffer, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An input.
    Input(usize),
    /// An output.
    Output(usize),
    /// A buffer of the operation's own: see [`Data::buffers`].
    Memory(usize),
}

impl Source {
    pub(crate) const fn part(self, ByteRange { offset, size }: ByteRange) -> Part {
        Part { of: self, offset, size: Some(size) }
    }
}

impl<S> Plan<S> {
    /// The part of a buffer that a pass binds to a slot of group 0: the part that it names, or the whole of an output or of memory; `None` for
    /// parameters, and for what a kernel declares but does not read. An input that is shorter than a vector is never read as vectors.
    pub(crate) fn part(&self, index: usize, slot: u32, vector: u64) -> Option<Part> {
        let memory = self.memory.iter().position(|own| own.slot == Some(slot));
        // Vectors are another view of an input.
        let (named, least) = match slot {
            3 if memory.is_none() => (INPUT, vector),
            6 => (SECOND, vector),
            _ => (slot, 0),
        };
        let whole = |of| Part { of, offset: 0, size: None };
        let part = match self.passes[index].binding(named) {
            Some(Binding::Input(number, bytes)) => Source::Input(number).part(bytes),
            Some(Binding::Output(bytes)) => Source::Output(0).part(bytes),
            Some(Binding::Memory(number, bytes)) => Source::Memory(number).part(bytes),
            Some(Binding::Parameters) => return None,
            None => match outputs::number(slot).filter(|nth| *nth < self.outputs.len()) {
                Some(nth) => whole(Source::Output(nth)),
                None => whole(Source::Memory(memory?)),
            },
        };
        part.size.is_none_or(|size| size >= least).then_some(part)
    }
}

/// A plan, and what else its data are made of.
pub(crate) struct Planned<S> {
    pub(crate) label: String,
    pub(crate) plan: Plan<S>,
    pub(crate) inputs: Vec<&'static str>,
    /// Bytes of an input's vectors.
    pub(crate) vector: u64,
    /// The parameters that the operator's text declares.
    pub(crate) declared: Option<Parameters>,
    /// The number of elements.
    pub(crate) most: u32,
}

impl<S: Copy + PartialEq> Planned<S> {
    /// The plan as data for a host, with the kernel of each step.
    pub(crate) fn data(
        self,
        host: &Host,
        kernel: &dyn Fn(S) -> Result<Kernel, Error>,
    ) -> Result<Data, Error> {
        let Planned { label, plan, mut inputs, vector, declared, most } = self;
        let befores = host.outputs.iter().copied().chain(std::iter::repeat(0));
        let outputs: Vec<_> = plan.outputs.iter().zip(befores).collect();
        if let Some((output, offset)) =
            outputs.iter().find(|(one, before)| one.place.is_none() && *before > 0)
        {
            let align = host.limits.min_storage_buffer_offset_alignment;
            let (role, offset, limit) = (output.name, *offset, "min_storage_buffer_offset_alignment");
            return Err(BufferError::Offset { role, offset, align, limit }.into());
        }
        let placed = outputs.iter().filter_map(|(output, before)| Some((output.place?, (before / 4) as u32)));
        let placed: Vec<_> = placed.collect();
        let own = |size: u64, contents: Vec<u32>| DataBuffer { size: size.max(LEAST), contents };
        let whole = |of, size| Source::part(of, ByteRange { offset: 0, size });
        let mut buffers: Vec<_> = plan.memory.iter().map(|one| own(one.size, one.contents.clone())).collect();
        let blocks = count::blocks(&plan.passes, &placed, host.count.is_some());
        let (params, size) = (buffers.len(), blocks.size());
        let own_parameters = declared.map(|declared| {
            inputs.push("parameters");
            let size = (!declared.is_open).then_some(declared.size);
            (declared.slot, Part { of: Source::Input(inputs.len() - 1), offset: 0, size })
        });
        let (mut kernels, mut steps, mut dispatches) = (Vec::new(), Vec::new(), Vec::new());
        let mut words = blocks.words();
        if let Some(at) = host.count.filter(|_| !plan.passes.is_empty()) {
            let (workgroup_size, job, grid) =
                count::prologue(plan.passes.len(), size, (at, most), &host.limits)?;
            let templates = std::mem::take(&mut words);
            inputs.push("count");
            let parts = vec![
                (0, whole(Source::Memory(params + 1), size)),
                (1, whole(Source::Memory(params), size)),
                (PARAMETERS, whole(Source::Memory(params + 2), LEAST)),
                (3, whole(Source::Input(inputs.len() - 1), at + 4)),
            ];
            buffers.extend([own(size, words), own(size, templates), own(0, job)]);
            kernels.push(count::kernel(workgroup_size));
            steps.push(None);
            dispatches.push(DataDispatch { kernel: 0, grid, parts });
        } else {
            buffers.push(own(size, words));
        }
        let nothing = whole(Source::Memory(buffers.len()), LEAST);
        buffers.push(own(0, Vec::new()));
        for (index, pass) in plan.passes.iter().enumerate() {
            let known = steps.iter().position(|step| *step == Some(pass.step));
            let number = known.unwrap_or(steps.len());
            if known.is_none() {
                kernels.push(kernel(pass.step)?);
                steps.push(Some(pass.step));
            }
            let block = ByteRange { offset: blocks::offset(index), size: blocks::STRIDE };
            let part = |slot| match slot {
                PARAMETERS => Source::Memory(params).part(block),
                _ => {
                    let declared = own_parameters.filter(|(declared, _)| *declared == slot);
                    let part = plan.part(index, slot, vector).or(declared.map(|(_, part)| part));
                    part.map_or(nothing, |part| {
                        let whole = || match part.of {
                            Source::Input(_) => None,
                            Source::Output(nth) => Some(outputs[nth].0.size + outputs[nth].1),
                            Source::Memory(nth) => Some(buffers[nth].size),
                        };
                        Part { size: part.size.or_else(whole), ..part }
                    })
                }
            };
            let parts = kernels[number].slots.iter().map(|(slot, _)| (*slot, part(*slot))).collect();
            dispatches.push(DataDispatch { kernel: number, grid: pass.grid, parts });
        }
        let outputs = plan.outputs.clone();
        Ok(Data { label, kernels, buffers, inputs, outputs, dispatches, depth: None })
    }
}

impl Kernel {
    /// The bindings of group 0 that it declares: the number and WebGPU's name of the type of each.
    pub fn bindings(&self) -> Vec<(u32, &'static str)> {
        let name = |access: &Access| match access {
            Access::Uniform => "uniform",
            Access::Read => "read-only-storage",
            Access::Write => "storage",
            Access::Texture(_) => "texture",
            Access::Store(_) => "storage-texture",
        };
        self.slots.iter().map(|(slot, access)| (*slot, name(access))).collect()
    }
}
