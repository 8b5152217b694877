//! The checks of a reduction's buffers, and the buffer range for each binding of each dispatch.

use wgpu::{BindingResource, Buffer};

use crate::gpu::buffers::{self, Use, slice};
use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::outputs::Outputs;
use crate::gpu::parameters::{OWN_STORAGE, OWN_UNIFORM, Parameters};
use crate::gpu::slice::Slice;
use crate::gpu::texels::BoundTexels;
use crate::gpu::workspace::{Place, Source};
use crate::gpu::{BufferError, blocks};
use crate::reduce::exact::EXACT_FOLD;
use crate::reduce::plan::{ByteRange, Dst, Launch, Plan, Src, WORDS};
use crate::reduce::refused::exact_in_one_launch;
use crate::reduce::shape::{Shape, ShapeKind};
use crate::reduce::sources::Sources;

/// The name of a list of offsets in messages.
const OFFSETS: &str = "list of offsets";

/// Checks that offsets and a count on the GPU are given for the shapes that take them.
pub(super) fn check_shape(plan: &Plan, sources: &Sources<'_>, shape: Shape) -> Result<(), Error> {
    if sources.offsets.is_some() != matches!(shape, Shape::Offsets { .. }) {
        let message = match shape {
            Shape::Offsets { .. } => {
                "a list of offsets is missing: give it by `.segment_offsets(…)`".to_owned()
            }
            shape => format!(
                "a list of offsets goes with `Shape::Offsets`, not with {shape:?}: leave `.segment_offsets(…)` out"
            ),
        };
        return Err(Error::setting("segment_offsets", message));
    }
    let takes_count = matches!(shape.kind(), ShapeKind::Whole | ShapeKind::Accumulate | ShapeKind::Strided);
    if sources.count.is_some() && !takes_count {
        let shapes = "`Shape::Whole`, `Shape::Accumulate` and `Shape::Strided`";
        let message = format!("a count on the GPU goes with {shapes}, not with {shape:?}");
        return Err(Error::setting("count_buffer", message));
    }
    // An exact sum in two launches is one of a segment, which has its length from the host.
    if sources.count.is_some()
        && plan.launches.iter().any(|launch| launch.stage.kernel == EXACT_FOLD.segments)
    {
        return Err(exact_in_one_launch());
    }
    Ok(())
}

/// Checks the buffers of a reduction against its plan.
pub(super) fn check(
    plan: &Plan,
    sources: &Sources<'_>,
    parameters: Option<(Parameters, Slice<'_>)>,
    outputs: &Outputs<'_>,
    limits: &wgpu::Limits,
) -> Result<(), Error> {
    let written = outputs.uses();
    buffers::check(&reads(plan, sources), &written, limits)?;
    if let Some(list) = sources.offsets {
        Use::of(OFFSETS, list, 0).aligned(limits)?;
    }
    if let Some(count) = sources.count {
        if !count.offset().is_multiple_of(4) {
            let (offset, limit) = (count.offset(), "the size of a u32");
            return Err(BufferError::Offset { role: "count", offset, align: 4, limit }.into());
        }
        // The count is read before anything is written, so it may be in the output's buffer.
        Use::of("count", count, 4).inside()?;
    }
    if let Some((declared, given)) = parameters {
        declared.check(given, &written, limits)?;
    }
    Ok(())
}

/// All slices that a reduction reads: as they were given, and as far as each launch of the plan binds them.
fn reads<'a>(plan: &Plan, sources: &Sources<'a>) -> Vec<Use<'a>> {
    let inputs = sources.parts.iter().filter_map(Input::slice).map(|part| Use::of("input", part, 0));
    let second = sources.second.map(|second| Use::of("second input", second, 0));
    let offsets = sources.offsets.map(|list| Use::of(OFFSETS, list, 0));
    let mut reads: Vec<_> = inputs.chain(second).chain(offsets).collect();
    for launch in &plan.launches {
        if let Src::Inputs { part, first, next, second } = launch.src {
            let end = next.unwrap_or(first).end();
            reads.extend(sources.parts[part].slice().map(|part| Use::until("input", part, end)));
            let bound = sources.second.iter().zip(second);
            reads.extend(bound.map(|(input, bytes)| Use::until("second input", *input, bytes.end())));
        }
        let bound = sources.offsets.iter().zip(launch.offsets);
        reads.extend(bound.map(|(list, bytes)| Use::of(OFFSETS, *list, bytes.end())));
    }
    reads
}

/// Scratch memory of one reduction: two buffers of accumulators, the partials behind the tickets, and marks.
pub(super) struct Scratch([Buffer; 4]);

impl Scratch {
    pub(super) fn new(source: &Source<'_>, plan: &Plan) -> Self {
        let [first, second] = plan.scratch;
        let buffers = [
            (Place::Any(0), first),
            (Place::Any(1), second),
            (Place::Tickets, plan.partials),
            (Place::Any(2), plan.marks),
        ];
        Scratch(buffers.map(|(place, size)| source.buffer(place, "halofold::reduce::scratch", size)))
    }

    /// The first bytes of a buffer, which may have more for others.
    fn whole(&self, nth: usize, size: u64) -> BindingResource<'_> {
        slice(&self.0[nth], 0, if size == 0 { buffers::LEAST } else { size })
    }
}

/// The buffers of one bound reduction.
pub(super) struct Bindings<'a, 'p> {
    pub(super) plan: &'p Plan,
    pub(super) sources: &'p Sources<'a>,
    pub(super) outputs: &'p Outputs<'a>,
    pub(super) scratch: &'a Scratch,
    /// Bound to inputs that a kernel declares but does not read.
    pub(super) nothing: &'a Buffer,
    pub(super) params: &'a Buffer,
    /// Bytes of a vector of four elements.
    pub(super) vector: u64,
    /// The operator's own parameters, and their buffer.
    pub(super) parameters: Option<(Parameters, Slice<'a>)>,
    /// The texture that it reads in the place of a buffer.
    pub(super) texels: Option<&'a BoundTexels>,
}

impl<'a> Bindings<'a, '_> {
    /// The resource for a binding of group 0 in dispatch number `index`.
    pub(super) fn slot(&self, slot: u32, index: usize, launch: &Launch) -> BindingResource<'a> {
        match slot {
            1 => match launch.dst {
                Dst::Scratch(buffer, bytes) => within(&self.scratch.0[buffer], 0, bytes),
                Dst::Output(bytes) => {
                    let output = self.outputs.first();
                    within(output.buffer(), output.offset(), bytes)
                }
                Dst::Outputs => self.output(slot),
            },
            2 => blocks::bound::<[u32; WORDS]>(self.params, blocks::offset(index)),
            4 => self.scratch.whole(2, self.plan.partials),
            7 => match (launch.offsets, self.sources.offsets) {
                (Some(bytes), Some(list)) => within(list.buffer(), list.offset(), bytes),
                _ => self.marks(),
            },
            8 => self.marks(),
            OWN_UNIFORM | OWN_STORAGE => {
                self.parameters.map_or_else(|| self.marks(), |(declared, given)| declared.resource(given))
            }
            0 | 3 | 5 | 6 => self.input(launch, slot),
            _ => self.output(slot),
        }
    }

    fn output(&self, slot: u32) -> BindingResource<'a> {
        self.outputs.resource(slot, None).unwrap_or_else(|| self.nothing.as_entire_binding())
    }

    fn marks(&self) -> BindingResource<'a> {
        self.scratch.whole(3, self.plan.marks)
    }

    /// A window of an input: for bindings 0 and 3 of the first, for 5 and 6 of the second or the adjoining one. A window that is shorter
    /// than a vector is never read as vectors.
    fn input(&self, launch: &Launch, slot: u32) -> BindingResource<'a> {
        let (is_first, as_vectors) = (slot < 5, slot == 3 || slot == 6);
        if let (Some(texels), Src::Inputs { .. } | Src::Nothing) = (self.texels, launch.src) {
            return texels.resource(slot);
        }
        let buffer = |part: usize| self.sources.parts[part].slice().map(|slice| slice.buffer());
        let window = match launch.src {
            Src::Scratch(buffer, bytes) if is_first => Some((&self.scratch.0[buffer], bytes)),
            Src::Inputs { part, first, .. } if is_first => buffer(part).zip(Some(first)),
            Src::Inputs { part, next: Some(next), .. } => buffer(part).zip(Some(next)),
            Src::Inputs { second, .. } => self.sources.second.map(|input| input.buffer()).zip(second),
            _ => None,
        };
        match window {
            Some((buffer, bytes)) if !as_vectors || bytes.size >= self.vector => within(buffer, 0, bytes),
            _ => self.nothing.as_entire_binding(),
        }
    }
}

/// A range of bytes after a base offset, as a binding.
fn within(buffer: &Buffer, base: u64, ByteRange { offset, size }: ByteRange) -> BindingResource<'_> {
    slice(buffer, base + offset, size)
}
