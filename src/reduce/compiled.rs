//! A reduction on a device: its kernels, each compiled when it is first needed.

use crate::gpu::Compiled;
use crate::gpu::error::Error;
use crate::gpu::input::Input;
use crate::gpu::io::{InputsOf, OneInput};
use crate::gpu::kernel::Pipeline;
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

/// The inputs of an operator that maps pairs: the vectors of a dot product, the two variables of a covariance, values and their weights, or
/// elements and their mask. Both have as many elements, and may be one buffer.
///
/// ```
/// use halofold::reduce::{Both, Op, Reduce};
/// use halofold::{Compiled, Element, Options};
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let [x, y] = [[1f32, 2.0, 3.0], [10.0, 20.0, 30.0]].map(|numbers| buffer(bytemuck::cast_slice(&numbers)));
/// let dot = Compiled::new(&device, Reduce::new(Op::Dot.over(Element::F32)?), &Options::default())?;
/// let product: f32 = dot.of(Both { first: &x, second: &y }).run(&queue)?;
/// # assert_eq!(product, 140.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Both<F, S> {
    /// The first argument of `map`.
    pub first: F,
    /// The second argument of `map`.
    pub second: S,
}

impl<'b, F: Into<Slice<'b>>, S: Into<Slice<'b>>> InputsOf<'b, Reduce> for Both<F, S> {
    fn inputs(self) -> (Input<'b>, Option<Slice<'b>>) {
        (Input::Buffer(self.first.into()), Some(self.second.into()))
    }
}

impl OneInput for Reduce {}

impl Compiled<Reduce> {
    /// Describes a reduction of all elements of its inputs: a buffer or a slice of one, or [`Both`] for an operator with two inputs. The
    /// methods of [`Reduction`] choose other shapes, append parts, and run it. Bytes after the last whole element are ignored.
    pub fn of<'b>(&self, inputs: impl InputsOf<'b, Reduce>) -> Reduction<'_, 'b> {
        let (first, second) = inputs.inputs();
        Reduction::new(self, first, second)
    }

    /// Describes a reduction of all texels of a texture's level, or of a rectangle of them, for an operator that reads texels: [`Monoid::of_texels`].
    pub fn of_texels<'b>(&self, texels: impl Into<Texels<'b>>) -> Reduction<'_, 'b> {
        Reduction::new(self, Input::Texels(texels.into()), None)
    }

    /// Plans the dispatches for a shape over inputs of these lengths. It needs no buffers, and has no side effects.
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

    /// Compiles ahead of time the kernels that a plan dispatches. It blocks; nothing is submitted.
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
            operation::kernel(&text, pipelines.options().subgroups, &pipelines.limits)
        })
    }
}
