//! Binds a caller's buffers to the passes of a plan.

use std::hash::Hash;

use wgpu::{BindingResource, Buffer, Limits, TextureSampleType};

use crate::gpu::buffers::{self, BufferError, Use};
use crate::gpu::data::{Part, Source};
use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::io::Output;
use crate::gpu::kernel::{PARAMETERS, Pipeline, Pipelines};
use crate::gpu::launch::Bound;
use crate::gpu::operation::{Memory, Plan};
use crate::gpu::pass::{Binding, INPUT, Pass};
use crate::gpu::slice::Slice;
use crate::gpu::texels::BoundTexels;
use crate::gpu::workspace::Workspace;
use crate::gpu::{blocks, parameters};

/// An input of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reads<'a> {
    /// Its name in messages.
    pub(crate) role: &'static str,
    pub(crate) input: Input<'a>,
    /// True if parts of it count from the start of its slice.
    pub(crate) is_list: bool,
}

impl<'a> Reads<'a> {
    /// Elements, or texels.
    pub(crate) fn elements(role: &'static str, input: Input<'a>) -> Self {
        Reads { role, input, is_list: false }
    }

    /// The buffer of a slice, and the offset from which parts count.
    fn base(&self, slice: Slice<'a>) -> (&'a Buffer, u64) {
        (slice.buffer(), if self.is_list { slice.offset() } else { 0 })
    }
}

/// The buffers and textures of a caller, for one plan.
#[derive(Clone, Debug)]
pub(crate) struct Given<'a> {
    /// The inputs, by their numbers in the plan.
    pub(crate) inputs: Vec<Reads<'a>>,
    pub(crate) outputs: Vec<Slice<'a>>,
    /// The binding of the parameters that the operator's text declares, and their buffer.
    pub(crate) parameters: Option<(u32, Use<'a>)>,
    /// The number of elements, if only the GPU knows it, and the most.
    pub(crate) count: Option<(Slice<'a>, u32)>,
    pub(crate) workspace: Option<&'a Workspace>,
    /// The type of the samples of a texture.
    pub(crate) sample: Option<TextureSampleType>,
    /// True if the order of texels does not matter.
    pub(crate) in_any_order: bool,
    /// Bytes of an input's vectors.
    pub(crate) vector: u64,
}

impl<'a> Given<'a> {
    pub(crate) fn bind<S: Copy, K: Eq + Hash>(
        &self,
        label: &str,
        plan: &Plan<S>,
        pipelines: &Pipelines<K>,
        kernel: impl Fn(S) -> Result<Pipeline, Error>,
    ) -> Result<Bound, Error> {
        let (outputs, places) = self.written(plan, &pipelines.limits)?;
        self.check(plan, &outputs, &pipelines.limits)?;
        let device = &pipelines.device;
        self.workspace.map_or(Ok(()), |workspace| workspace.check(device))?;
        let memory = plan.memory.iter().enumerate();
        let memory = memory.map(|(nth, own)| (own, own.buffer(device, self.workspace, nth, label))).collect();
        let (params, prologue) = pipelines.parameters(label, &plan.passes, &places, self.count)?;
        let texels = match (self.inputs.first().map(|reads| reads.input), self.sample) {
            (Some(Input::Texels(texels)), Some(sample)) => {
                Some(texels.bind(device, sample, self.in_any_order))
            }
            _ => None,
        };
        let nothing = pipelines.nothing();
        let buffers =
            Buffers { given: self, plan, outputs: &outputs, memory, params: &params, texels, nothing };
        let dispatch = |(index, pass): (usize, &Pass<S>)| {
            let resource = |slot| buffers.resource(slot, index);
            Ok(kernel(pass.step)?.dispatch(device, label, pass.grid, resource))
        };
        let dispatches = prologue.into_iter().map(Ok);
        let dispatches = dispatches.chain(plan.passes.iter().enumerate().map(dispatch));
        let dispatches = dispatches.collect::<Result<_, Error>>()?;
        Ok(Bound::new(dispatches, buffers.memory.iter().map(|(_, buffer)| buffer.clone()).collect(), label))
    }

    /// The outputs as kernels bind them, and the parameters with the places of some. An output whose place is a parameter starts at the
    /// last multiple of the alignment.
    fn written<S>(&self, plan: &Plan<S>, limits: &Limits) -> Result<(Vec<Use<'a>>, Vec<Place>), BufferError> {
        let mut places = Vec::new();
        let written = |(slice, output): (&Slice<'a>, &Output)| {
            let Output { name: role, size, place } = *output;
            let Some(place) = place else { return Ok(Use::of(role, *slice, size)) };
            word_aligned(role, *slice)?;
            let before = slice.offset() % u64::from(limits.min_storage_buffer_offset_alignment);
            places.push((place, (before / 4) as u32));
            let bound =
                Slice::new(slice.buffer(), slice.offset() - before, slice.size().saturating_add(before));
            Ok(Use::of(role, bound, size + before))
        };
        let outputs = self.outputs.iter().zip(&plan.outputs).map(written).collect::<Result<_, _>>()?;
        Ok((outputs, places))
    }

    fn check<S>(&self, plan: &Plan<S>, outputs: &[Use<'a>], limits: &Limits) -> Result<(), Error> {
        buffers::check(&self.reads(plan), outputs, limits)?;
        for list in self.inputs.iter().filter(|reads| reads.is_list) {
            list.input.slice().map_or(Ok(()), |slice| Use::of(list.role, slice, 0).aligned(limits))?;
        }
        if let Some((count, _)) = self.count {
            word_aligned("count", count)?;
            // The count is read before anything is written, so it may be in the output's buffer.
            Use::of("count", count, 4).inside()?;
        }
        self.parameters.map_or(Ok(()), |(_, given)| parameters::check(&given, outputs, limits))
    }

    /// The inputs, as far as the passes bind them.
    fn reads<S>(&self, plan: &Plan<S>) -> Vec<Use<'a>> {
        let mut ends = vec![0; self.inputs.len()];
        for (_, part) in plan.passes.iter().flat_map(|pass| &pass.bindings) {
            if let Binding::Input(number, bytes) = *part {
                ends[number] = bytes.end().max(ends[number]);
            }
        }
        let read = |(reads, end): (&Reads<'a>, u64)| {
            let slice = reads.input.slice()?;
            Some(Use::until(reads.role, slice, reads.base(slice).1.saturating_add(end)))
        };
        self.inputs.iter().zip(ends).filter_map(read).collect()
    }
}

/// A parameter, and the first word of an output in its binding.
type Place = (&'static str, u32);

/// Checks that a number starts at a word.
fn word_aligned(role: &'static str, slice: Slice<'_>) -> Result<(), BufferError> {
    let (offset, limit) = (slice.offset(), "the size of a u32");
    let is_aligned = offset.is_multiple_of(4);
    if is_aligned { Ok(()) } else { Err(BufferError::Offset { role, offset, align: 4, limit }) }
}

/// All buffers of a bound plan.
struct Buffers<'a, S> {
    given: &'a Given<'a>,
    plan: &'a Plan<S>,
    outputs: &'a [Use<'a>],
    memory: Vec<(&'a Memory, Buffer)>,
    params: &'a Buffer,
    texels: Option<BoundTexels>,
    /// Bound to what a kernel declares but does not read.
    nothing: &'a Buffer,
}

impl<S> Buffers<'_, S> {
    /// The resource for a binding of group 0 in the pass with an index.
    fn resource(&self, slot: u32, index: usize) -> BindingResource<'_> {
        if slot == PARAMETERS {
            return buffers::slice(self.params, blocks::offset(index), blocks::STRIDE);
        }
        let part = self.plan.part(index, slot, self.given.vector);
        let is_memory = matches!(self.plan.passes[index].binding(INPUT), Some(Binding::Memory(..)));
        match &self.texels {
            Some(texels) if matches!(slot, 0 | 3) && !is_memory => Some(texels.resource(slot)),
            _ => match part {
                Some(part) => self.bound(part),
                None => self.given.parameters.filter(|(own, _)| *own == slot).map(|(_, own)| own.resource()),
            },
        }
        .unwrap_or_else(|| self.nothing.as_entire_binding())
    }

    /// A part of a buffer.
    fn bound(&self, Part { of, offset, size }: Part) -> Option<BindingResource<'_>> {
        let (buffer, base, whole) = match of {
            Source::Input(number) => {
                let reads = &self.given.inputs[number];
                let (buffer, base) = reads.base(reads.input.slice()?);
                (buffer, base, 0)
            }
            Source::Output(number) => {
                let output = &self.outputs[number];
                (output.given().buffer(), output.given().offset(), output.size())
            }
            Source::Memory(number) => {
                let (own, buffer) = &self.memory[number];
                // A workspace may share it with operations that need more than a binding holds.
                (buffer, 0, own.size.max(buffers::LEAST).min(buffer.size()))
            }
        };
        Some(buffers::slice(buffer, base + offset, size.unwrap_or(whole)))
    }
}
