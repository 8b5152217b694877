//! What a reduction reads.

use crate::gpu::bind::Reads;
use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::slice::Slice;
use crate::reduce::exact::EXACT_FOLD;
use crate::reduce::plan::Plan;
use crate::reduce::refused::exact_in_one_launch;
use crate::reduce::shape::{Shape, ShapeKind};

/// The buffers that a reduction reads.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources<'b> {
    pub(super) parts: Vec<Input<'b>>,
    pub(super) second: Option<Slice<'b>>,
    pub(super) offsets: Option<Slice<'b>>,
    pub(super) count: Option<Slice<'b>>,
    pub(super) parameters: Option<Slice<'b>>,
    pub(super) len: Option<u64>,
    pub(super) stands_for: Option<u32>,
    /// The index of the first element.
    pub(super) index: u32,
}

impl<'b> Sources<'b> {
    /// The inputs of its plans: the parts of the first one, the second one, the list of offsets.
    pub(super) fn inputs(&self) -> Vec<Reads<'b>> {
        let parts = self.parts.iter().map(|part| Reads::elements("input", *part));
        let second = self.second.map(|second| Reads::elements("second input", Input::Buffer(second)));
        let list = |list| Reads { role: "offsets", input: Input::Buffer(list), is_list: true };
        parts.chain(second).chain(self.offsets.map(list)).collect()
    }

    /// Checks that offsets and a count on the GPU are given for the shapes that take them.
    pub(super) fn check(&self, shape: Shape, plan: &Plan) -> Result<(), Error> {
        let Sources { offsets, count, .. } = self;
        if offsets.is_some() != matches!(shape, Shape::Offsets { .. }) {
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
        let takes_count =
            matches!(shape.kind(), ShapeKind::Whole | ShapeKind::Accumulate | ShapeKind::Strided);
        if count.is_some() && !takes_count {
            let shapes = "`Shape::Whole`, `Shape::Accumulate` and `Shape::Strided`";
            let message = format!("a count on the GPU goes with {shapes}, not with {shape:?}");
            return Err(Error::setting("count_buffer", message));
        }
        // An exact sum in two launches is one of a segment, which has its length from the host.
        let mut kernels = plan.launches().iter().map(|launch| launch.step.kernel);
        if count.is_some() && kernels.any(|kernel| kernel == EXACT_FOLD.segments) {
            return Err(exact_in_one_launch());
        }
        Ok(())
    }
}
