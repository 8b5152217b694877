//! A reduction on a device: its kernels, each compiled when it is first needed.

use crate::gpu::Compiled;
use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::kernel::{Kernel, Pipeline};
use crate::gpu::slice::Slice;
use crate::gpu::texels::Texels;
use crate::reduce::Reduce;
use crate::reduce::compose::Text;
use crate::reduce::monoid::Monoid;
use crate::reduce::operation;
use crate::reduce::plan::{BufferRange, Plan, Request, Stage};
use crate::reduce::reduction::Reduction;
use crate::reduce::results::FromResults;
use crate::reduce::shape::Shape;

impl Compiled<Reduce> {
    /// Describes a reduction of all elements of a buffer or of a slice of one. The methods of [`Reduction`]
    /// choose other shapes, add further inputs, and run it. Bytes after the last whole element are ignored.
    pub fn of<'b>(&self, elements: impl Into<Slice<'b>>) -> Reduction<'_, 'b> {
        Reduction::new(self, Input::Buffer(elements.into()))
    }

    /// Describes a reduction of all texels of a texture's level, or of a rectangle of them, for an operator that reads texels:
    /// [`Monoid::of_texels`].
    pub fn of_texels<'b>(&self, texels: impl Into<Texels<'b>>) -> Reduction<'_, 'b> {
        Reduction::new(self, Input::Texels(texels.into()))
    }

    /// Plans the launches for a shape over inputs of these lengths. It needs no buffers, and has no side
    /// effects.
    ///
    /// # Errors
    ///
    /// See [`Reduce::plan`].
    pub fn plan(
        &self,
        shape: Shape,
        parts: &[BufferRange],
        second: Option<BufferRange>,
    ) -> Result<Plan, Error> {
        self.request(shape).plan(shape, parts, second)
    }

    /// Compiles ahead of time the kernels that a plan launches. It blocks; nothing is submitted.
    ///
    /// # Errors
    ///
    /// See [`Reduce::check`].
    pub fn compile(&self, plan: &Plan) -> Result<(), Error> {
        plan.launches().iter().try_for_each(|launch| self.stage(launch.step).map(drop))
    }

    /// Converts the bytes of an output buffer, as [`read`](mod@crate::read) returns them, to one result or to
    /// a `Vec` of all results. Bytes after the last whole result are ignored.
    ///
    /// # Errors
    ///
    /// The results have another type or another number than `T`.
    pub fn results<T: FromResults>(&self, bytes: &[u8]) -> Result<T, Error> {
        self.operation().output_layout().read(bytes)
    }

    pub(crate) fn monoid(&self) -> &Monoid {
        self.operation().monoid()
    }

    pub(super) fn request(&self, shape: Shape) -> Request<'_> {
        let launches = self.own.options().launches;
        self.operation().request(self.monoid(), shape.kind(), launches, &self.own.limits)
    }

    /// Returns a stage's kernel, which it compiles on first use.
    pub(super) fn stage(&self, stage: Stage) -> Result<Pipeline, Error> {
        let pipelines = &self.own;
        pipelines.try_get(stage, || {
            let text = Text { monoid: self.monoid(), stage, features: pipelines.features };
            operation::check(&text, pipelines.options().subgroups, &pipelines.limits)?;
            Ok(Kernel::new(self.monoid().label(stage), text.compose(), text.slots(), stage.overrides()))
        })
    }
}
